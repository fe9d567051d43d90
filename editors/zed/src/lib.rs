//! Lanescope in Zed: which command is the language server, and what it is set to.
//!
//! The command is `lsp.lanescope.binary` of Zed's settings, else `lanescope` on the worktree's PATH.

use zed_extension_api::settings::LspSettings;
use zed_extension_api::{self as zed, serde_json::Value, Command, LanguageServerId, Result, Worktree};

struct Lanescope;

impl zed::Extension for Lanescope {
    fn new() -> Self {
        Lanescope
    }

    fn language_server_command(&mut self, server: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let binary = LspSettings::for_worktree(server.as_ref(), worktree)?.binary;
        let (path, arguments) = binary.map(|binary| (binary.path, binary.arguments)).unwrap_or_default();
        let not_found =
            "`lanescope` is not on PATH: install it, or name it in the settings under `lsp.lanescope.binary.path`";
        let command = path.or_else(|| worktree.which("lanescope")).ok_or(not_found)?;
        let args = arguments.unwrap_or_else(|| vec!["lsp".to_owned()]);
        Ok(Command { command, args, env: worktree.shell_env() })
    }

    fn language_server_initialization_options(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<Value>> {
        let settings = LspSettings::for_worktree(server.as_ref(), worktree)?;
        Ok(settings.initialization_options.or(settings.settings))
    }

    fn language_server_workspace_configuration(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<Value>> {
        let settings = LspSettings::for_worktree(server.as_ref(), worktree)?.settings;
        Ok(settings.map(|settings| zed::serde_json::json!({ "lanescope": settings })))
    }
}

zed::register_extension!(Lanescope);
