//! Lessons, as somebody does them in the explorer.

use explorer::event::Event;
use explorer::lessons::LESSONS;
use explorer::state::Topic;

use super::player::Player;

/// The first lessons, the first of them on the screen with its task.
fn lessons() -> Player {
    let names: Vec<String> = LESSONS.iter().map(|lesson| lesson.file_name()).collect();
    let files: Vec<_> = names.iter().zip(LESSONS).map(|(name, lesson)| (name.as_str(), lesson.program)).collect();
    let mut player = Player::new(&files[..2], (120, 50));
    for (n, file) in player.state.files.iter_mut().enumerate() {
        file.lesson = Some(n);
    }
    player.state.topic = Topic::Task;
    player.happen(Event::Tick);
    player.wait();
    player
}

#[test]
fn a_task_is_checked_as_one_types_and_leads_to_the_next() {
    let mut player = lessons();
    let screen = player.screen();
    for expected in [
        "Lesson 1 of 12: Many iterations at once",
        "Task  Why",
        "✓ the program has no errors",
        "· the loop has 4 lanes",
        "now it has",
    ] {
        assert!(screen.contains(expected), "{expected}: {screen}");
    }
    assert!(!screen.contains("Done."), "{screen}");
    // A mistake first: the program has an error, which the first step tells.
    player.keys("1 down i home \"@lanes(\" enter esc");
    player.wait();
    assert!(player.screen().contains("· the program has no errors"), "{}", player.screen());
    player.keys("up i end \"4)\" esc");
    player.wait();
    let screen = player.screen();
    assert!(screen.contains("✓ the loop has 4 lanes") && screen.contains("Done. Enter on this line"), "{screen}");
    player.keys("4 G enter");
    player.wait();
    assert!(player.screen().contains("Lesson 2 of 12"), "{}", player.screen());
}

#[test]
fn a_file_that_is_no_lesson_has_no_task() {
    let mut player = Player::new(&[("a.lane", "kernel f(a):\n    a[0] = 1\n")], (100, 30));
    player.keys("K");
    assert!(player.status().starts_with("this file is no lesson"), "{}", player.status());
}
