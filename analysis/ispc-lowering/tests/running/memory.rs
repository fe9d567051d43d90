//! Places in memory: arrays, pointers, structs, short vectors, groups, references.

use expect_test::expect;

use super::{check, check_all_widths};

#[test]
fn arrays_of_lanes_have_a_cell_a_lane() {
    check(
        r#"void f() {
            int a[3] = { 1, 2, 3 };
            a[programIndex % 3] += 10 * programIndex;
            print("% % %\n", a[0], a[1], a[2]);
            uniform int b[] = { 5, 6, 7, 8 };
            print("% %\n", b[3 - programIndex], b[1]);
            int list = { 9, 8, 7, 6 };
            print("%\n", list);
        }"#,
        expect![[r#"
            [1,1,1,31] [2,12,2,2] [3,3,23,3]
            [8,7,6,5] 6
            [9,8,7,6]
        "#]],
    );
}

#[test]
fn of_lanes_that_store_to_one_cell_the_highest_stays() {
    check(
        r#"void f() {
            uniform int cells[2] = { 0, 0 };
            cells[programIndex & 1] = programIndex;
            print("% %\n", cells[0], cells[1]);
            cells[programIndex / 3] = programIndex / 3;
        }"#,
        expect![[r#"
            2 3
            lanes 0, 1, 2 and 3 meet: cells[programIndex & 1] = programIndex
        "#]],
    );
}

#[test]
fn pointers_of_all_kinds() {
    check(
        r#"void f() {
            uniform int cells[8];
            uniform int * uniform all = cells;
            uniform int * varying each = cells + programIndex * 2;
            *each = programIndex;
            each[1] = -programIndex;
            print("% % %\n", all[4], all[5], (each - all));
            int x = programIndex;
            varying int * uniform to_x = &x;
            *to_x += 1;
            varying int * varying lanes = &x;
            *lanes *= 2;
            print("% %\n", x, each == all);
            all += 6;
            print("% %\n", *all, all != NULL);
        }"#,
        expect![[r#"
            2 -2 [0,2,4,6]
            [2,4,6,8] [true,false,false,false]
            3 true
        "#]],
    );
}

#[test]
fn structs_are_copied_and_their_members_vary_with_them() {
    check(
        r#"struct Point { float x, y; int tag[2]; };
        struct Pair { Point a; uniform int n; Point b; };
        Point moved(Point p, uniform float by) { p.x += by; return p; }
        void f() {
            uniform Point points[4];
            foreach (i = 0 ... 4) { points[i].x = i; points[i].y = -i; }
            Point p = points[3 - programIndex];
            p = moved(p, 0.5f);
            p.tag[1] = programIndex;
            Pair both = { p, 7, p };
            if (programIndex == 0) { both.b.x = 100; }
            print("% % % %\n", both.a.x, both.b.x, both.b.tag[1], both.n);
            uniform Point one = points[2];
            uniform Point * uniform to = &points[1];
            *to = one;
            to->y = 9;
            print("% %\n", points[1].x, points[1].y);
        }"#,
        expect![[r#"
            [3.500000,2.500000,1.500000,0.500000] [100.000000,2.500000,1.500000,0.500000] [0,1,2,3] 7
            2.000000 9.000000
        "#]],
    );
}

#[test]
fn what_is_assigned_and_gone_on_with_is_evaluated_once() {
    check(
        r#"struct Point { float x, y; };
        void f() {
            uniform Point points[4];
            for (uniform int k = 0; k < 4; ++k) { points[k].x = k; points[k].y = -k; }
            uniform Point one = { 7, 8 };
            uniform int i = 0;
            uniform float y = (points[i++] = one).y;
            print("% % % %\n", i, y, points[0].x, points[1].x);
            uniform int numbers[4] = { 10, 20, 30, 40 };
            uniform int j = 0;
            (numbers[j++] += 5) += 1;
            print("% % %\n", j, numbers[0], numbers[1]);
            ++(++numbers[j++]);
            print("% % %\n", j, numbers[1], numbers[2]);
        }"#,
        expect![[r#"
            1 8.000000 7.000000 1.000000
            1 16 20
            2 22 30
        "#]],
    );
}

#[test]
fn short_vectors_and_their_letters() {
    check(
        r#"void f() {
            uniform float<3> v = { 1, 2, 3 };
            float<3> w = v * 2 + programIndex;
            w.zx = v.xy;
            print("% % %\n", w.x, w.y, w.z);
            print("%\n", v[2] + v.y);
            uniform int<4> n = 1;
            n[2] = 5;
            print("% %\n", n.z, n.w);
            uniform bool<3> less = v < 2.5f;
            print("% %\n", less.x, less.z);
        }"#,
        expect![[r#"
            [2.000000,2.000000,2.000000,2.000000] [4.000000,5.000000,6.000000,7.000000] [1.000000,1.000000,1.000000,1.000000]
            5.000000
            5 1
            true false
        "#]],
    );
}

#[test]
fn groups_of_soa() {
    check_all_widths(
        r#"struct Point { float x, y; };
        void f() {
            soa<4> Point points[6];
            foreach (i = 0 ... 24) { points[i].x = i; points[i].y = 2 * i; }
            soa<4> Point * uniform p = &points[5];
            ++p;
            uniform Point one = points[23];
            uniform float * uniform raw = (uniform float * uniform)points;
            print("% % % % %\n", p->x, p->y, one.y, raw[5], sizeof(soa<4> Point));
        }"#,
        expect![[r#"
            6.000000 12.000000 46.000000 2.000000 32
        "#]],
    );
}

#[test]
fn references_and_what_they_copy_back() {
    check(
        r#"void bump(int &x, uniform int &n) { x += 1; n += 1; }
        int &first(int a[]) { return a[0]; }
        void f() {
            uniform int n = 0;
            int x = 10;
            int a[2] = { 1, 2 };
            if (programIndex > 0) { bump(x, n); }
            uniform int cells[4] = { 0, 10, 20, 30 };
            bump(cells[3 - programIndex], n);
            first(a) = 50;
            int &same = a[1];
            same += programIndex;
            print("% % % % % %\n", x, n, cells[0], cells[3], a[0], a[1]);
        }"#,
        expect![[r#"
            [10,11,11,11] 2 1 31 [50,50,50,50] [2,3,4,5]
        "#]],
    );
}

#[test]
fn globals_and_static_variables_last() {
    check(
        r#"struct Pair { int a; float b; };
        uniform int count = 3;
        static const uniform float table[2][2] = { { 1, 2 }, { 3, 4 } };
        uniform Pair pairs[2] = { { 1, 2.5f }, { 3, 4.5f } };
        int lanes = programIndex * 2;
        uniform int next() { static uniform int calls = 10; calls += 1; return calls; }
        void f() {
            count += next() + next();
            print("% % % %\n", count, table[1][0], pairs[1].b, lanes);
        }"#,
        expect![[r#"
            26 3.000000 4.500000 [0,2,4,6]
        "#]],
    );
}

#[test]
fn new_memory_is_one_for_all_or_one_a_lane() {
    check(
        r#"struct Node { int value; Node * uniform next; };
        void f() {
            uniform int * uniform all = uniform new uniform int[4];
            all[programIndex] = programIndex;
            int * each = new int[programIndex + 1];
            each[programIndex] = all[3 - programIndex];
            print("% %\n", each[programIndex], all[2]);
            delete each;
            delete[] all;
            uniform float * uniform one = uniform new uniform float(2.5f);
            print("%\n", *one);
        }"#,
        expect![[r#"
            [3,2,1,0] 2
            2.500000
        "#]],
    );
}

#[test]
fn functions_are_called_by_their_addresses() {
    check(
        r#"typedef int (*Op)(int, int);
        int plus(int a, int b) { print("plus %\n", a); return a + b; }
        int times(int a, int b) { print("times %\n", a); return a * b; }
        void f() {
            uniform Op one = plus;
            varying Op each = programIndex < 2 ? plus : times;
            print("%\n", one(programIndex, 1));
            print("%\n", each(programIndex, 10));
            uniform Op low = min;
            print("%\n", low(programIndex, 2));
        }"#,
        expect![[r#"
            plus [0,1,2,3]
            [1,2,3,4]
            plus [0,1,((0)),((0))]
            times [((0)),((0)),2,3]
            [10,11,20,30]
            [0,1,2,2]
        "#]],
    );
}

#[test]
fn numbers_wrap_and_are_converted() {
    check(
        r#"enum Colour { Red, Green = 5, Blue };
        void f() {
            uniform int8 a = 127; a += 1;
            uniform unsigned int b = 0; b -= 1;
            uniform int c = 1 << 31;
            print("% % % %\n", a, b, c, c >> 31);
            print("% % %\n", (int)2.9f, (int)-2.9f, (unsigned int8)300);
            print("% % %\n", 7 / -2, 7 % -2, -7 % 2);
            uniform int64 wide = 1; wide <<= 40;
            print("% % %\n", wide, (float)wide, 0x10 + 0b11 + 1k);
            uniform float16 h = 2049.0f16;
            print("% % %\n", h, 1.5d, (int)Blue);
            uniform Colour colour = Green;
            print("% %\n", (uniform int)colour, sizeof(uniform int64));
        }"#,
        expect![[r#"
            -128 4294967295 -2147483648 -1
            2 -2 44
            -3 1 -1
            1099511627776 1099511627776.000000 1043
            2048.000000 1.500000 6
            5 8
        "#]],
    );
}

#[test]
fn constants_are_values() {
    check(
        r#"const bool on = 2;
        static const uniform int8 small = 300;
        void f() {
            const uniform bool yes = 4;
            print("% % % %\n", on, small, yes, (bool)8);
        }"#,
        expect![[r#"
            [true,true,true,true] 44 true true
        "#]],
    );
}

#[test]
fn operators_are_functions() {
    check(
        r#"struct V { float x, y; };
        V operator+(V a, V b) { V c = { a.x + b.x, a.y + b.y }; return c; }
        V operator-(V a) { V c = { -a.x, -a.y }; return c; }
        V &operator+=(V &a, V b) { a.x += b.x; a.y += b.y; return a; }
        void f() {
            V a = { 1, programIndex };
            V b = { 10, 20 };
            V c = -(a + b);
            c += b;
            print("% %\n", c.x, c.y);
        }"#,
        expect![[r#"
            [-1.000000,-1.000000,-1.000000,-1.000000] [0.000000,-1.000000,-2.000000,-3.000000]
        "#]],
    );
}

#[test]
fn declarations_of_one_global_are_one_variable() {
    check_all_widths(
        r#"extern uniform int n;
        extern uniform int n;
        void step() { n += 2; }
        uniform int n = 3;
        uniform float by = 0.5;
        extern uniform float by;
        extern uniform int cells[];
        uniform int cells[3] = { 1, 2, 3 };
        extern uniform int cells[3];
        const uniform int first = 4, second = first;
        extern const uniform int limit;
        const uniform int limit = 7;
        extern uniform int none;
        void f() {
            step();
            uniform int * uniform to = &n;
            *to *= 10;
            by += 1;
            cells[1] += n;
            none += 1;
            print("% % % % % % %\n", n, by, cells[1], cells[2], second, limit, none);
        }"#,
        expect![[r#"
            50 1.500000 52 3 4 7 1
        "#]],
    );
}

#[test]
fn structs_are_passed_and_given_by_themselves() {
    check(
        include_str!("../../../ispc-native/tests/native/structs.ispc"),
        expect![[r#"
        [3.000000,4.000000,5.000000,6.000000] [6.000000,6.000000,6.000000,6.000000]
        [0.000000,1.000000,2.000000,3.000000] [6.000000,7.000000,8.000000,9.000000]
        3.000000 6.000000
        [4.000000,5.000000,6.000000,7.000000] [8.000000,8.000000,8.000000,8.000000]
        [1.000000,1.000000,1.000000,1.000000] [2.000000,3.000000,4.000000,5.000000] [9.000000,9.000000,9.000000,3.000000] [6,6,6,6] [6,6,6,6] [6.000000,8.000000,10.000000,12.000000] 9
        [3.000000,3.000000,3.000000,3.000000]
        [6,6,6,6]
        [12.000000,12.000000,12.000000,12.000000]
        [1.000000,5.000000,3.000000,1.000000]
        [2.000000,3.000000,4.000000,5.000000] [true,true,false,false] [6.000000,8.000000,10.000000,12.000000]
        [true,true,true,true] [-128,-128,-128,-128] [3.000000,3.000000,3.000000,3.000000] [3.000000,3.000000,3.000000,3.000000]
        [24.000000,24.000000,24.000000,24.000000] [32.000000,32.000000,32.000000,32.000000]
        [3.000000,3.000000,3.000000,3.000000] [4.000000,4.000000,4.000000,4.000000]
        [1.000000,2.000000,1.000000,2.000000] [2.000000,1.000000,2.000000,1.000000]
        [6.000000,6.000000,6.000000,6.000000] [5.000000,5.000000,5.000000,5.000000]
        3.000000 3.000000
        [3.000000,3.000000,5.000000,6.000000] [4.000000,4.000000,6.000000,6.000000]
        [6.000000,6.000000,6.000000,6.000000] [2.000000,2.000000,2.000000,2.000000]
        [77.000000,77.000000,77.000000,77.000000]
        [77.000000,77.000000,100.000000,77.000000] [6.000000,6.000000,200.000000,6.000000]
        [1.000000,2.000000,2.000000,2.000000] [2.000000,4.000000,4.000000,4.000000]
        [3.000000,4.000000,4.000000,3.000000] [6.000000,8.000000,8.000000,6.000000]
        [6.000000,6.000000,6.000000,6.000000]
        2.000000
        [0.000000,2.000000,((0.000000)),((0.000000))]
        [0.000000,1.000000,2.000000,3.000000]
        [4.000000,4.000000,4.000000,4.000000] [5.000000,5.000000,5.000000,5.000000]
    "#]],
    );
}
