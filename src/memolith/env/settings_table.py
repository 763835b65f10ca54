"""The settings: one table gives each its key, type, default and meaning; loader and docs both read it."""

from __future__ import annotations

# key, type or choices, default, meaning
TABLE: tuple[tuple[str, type | tuple[str, ...], object, str], ...] = (
    (
        "enabled",
        bool,
        True,
        "Whether agents have a memory. Off: no block, no tools, no word about memory; what is stored stays,"
        " and commands that a person types still work.",
    ),
    (
        "identity",
        ("git", "cwd"),
        "git",
        "What a project is: `git` = the main checkout of the repository (worktrees, subdirectories and"
        " clones share one memory); `cwd` = each directory on its own, and its path is all that counts,"
        " whatever is there.",
    ),
    (
        "inject.daily",
        ("calendar", "recent"),
        "calendar",
        "Which daily logs are in the block: `calendar` = yesterday and today; `recent` = the two newest.",
    ),
    (
        "long_term.soft_limit",
        int,
        4000,
        "Characters of MEMORY.md above which a write asks to condense. 0 switches it off.",
    ),
    (
        "long_term.overflow",
        ("ask", "archive"),
        "ask",
        "Above the soft limit: `ask` = only ask to condense; `archive` = also move the oldest loose lines"
        " to the note memory-archive.",
    ),
    ("long_term.stale_days", int, 180, "Days after which `status` calls a dated section stale."),
    ("history.versions", int, 50, "Versions kept of each file."),
    ("history.days", int, 180, "Days a version is kept; the newest one of a file always stays."),
    ("lock.seconds", float, 10.0, "How long a write waits for another process before it gives up."),
    (
        "semantic.provider",
        ("auto", "none", "minilm", "openai"),
        "auto",
        "Which model finds memories by meaning: `auto` = the local one if `memolith[semantic]` is installed;"
        " `openai` = any service with its protocol, such as Ollama at http://127.0.0.1:11434/v1;"
        " the texts are sent to `semantic.url`.",
    ),
    (
        "semantic.model",
        str,
        "",
        "The model's name, or for `minilm` its directory. Empty = the provider's own.",
    ),
    (
        "semantic.url",
        str,
        "",
        "Address of the service, such as http://127.0.0.1:11434. Empty = the provider's own.",
    ),
    (
        "semantic.key_env",
        str,
        "OPENAI_API_KEY",
        "Name of the environment variable that holds the key for `openai`. The key itself is never stored.",
    ),
    ("semantic.key_command", str, "", "Command that prints the key, instead of the variable."),
    ("semantic.timeout", float, 30.0, "Seconds to wait for an answer of the service."),
    (
        "semantic.seconds",
        float,
        0.5,
        "Seconds that one recall may spend on embedding what is new; the rest is left to the next one, or to"
        " `memolith index sync`.",
    ),
    (
        "hooks.enabled",
        bool,
        True,
        "Whether `memolith hook` does anything. Off: agents are told nothing and nothing is kept of them.",
    ),
    (
        "hooks.sessions",
        bool,
        True,
        "Whether the transcript of a session with a hook is brought into memory when it ends.",
    ),
    (
        "memories.enabled",
        bool,
        False,
        "Whether memolith learns from finished sessions and injects what it learned. Off: no database and"
        " no request.",
    ),
    ("memories.use", bool, True, "Whether what was learned goes into the block."),
    ("memories.generate", bool, True, "Whether sessions are learned from."),
    ("memories.user", bool, True, "Whether user-wide records (preferences) may be learned."),
    ("memories.project", bool, True, "Whether a project's memory may be learned."),
    ("memories.max_rollout_age_days", int, 30, "Sessions older than this are not learned from."),
    (
        "memories.min_rollout_idle_hours",
        float,
        12.0,
        "A session is finished when nothing was added for so long.",
    ),
    ("memories.max_rollouts_per_startup", int, 64, "Sessions that one run learns from, newest first."),
    (
        "memories.summary_injection_token_limit",
        int,
        5000,
        "Tokens of memory_summary.md in the block; of a longer one, the first 60 % and the last 40 %.",
    ),
    ("memories.stage1_concurrency", int, 8, "Extractions at once, over all processes."),
    ("memories.stage1_lease_seconds", float, 120.0, "How long an extraction belongs to one process."),
    ("memories.stage1_retry_delay_seconds", float, 120.0, "Pause before a failed extraction is tried again."),
    ("memories.phase2_lease_seconds", float, 180.0, "How long a consolidation belongs to one process."),
    (
        "memories.phase2_retry_delay_seconds",
        float,
        180.0,
        "Pause before a failed consolidation is tried again.",
    ),
    ("memories.phase2_heartbeat_seconds", float, 30.0, "How often a running consolidation renews its lease."),
    ("memories.thread_scan_limit", int, 300, "Sessions that one run looks at."),
    ("memories.max_raw_memories_for_global", int, 200, "Extractions that a consolidation reads."),
    ("memories.rollout_payload_percent", float, 0.7, "Part of the model's window that a session may fill."),
    ("memories.phase1_input_token_limit", int, 4000, "Tokens of a session that are sent to the model."),
    ("memories.fallback_token_limit", int, 16000, "The model's window, where it is not known."),
    ("memories.max_unused_days", int, 30, "Extractions that were not used for so long are left out."),
    ("memories.cooldown_hours", float, 6.0, "Pause between two automatic consolidations."),
    (
        "memories.loss_percent",
        int,
        25,
        "A consolidation that drops more of the previous generated lines waits for `memolith review`.",
    ),
    ("memories.requests_per_run", int, 100, "Requests that one run may send."),
    ("memories.tokens_per_run", int, 500000, "Tokens, in and out, that one run may use."),
    ("memories.seconds_per_run", float, 900.0, "Seconds that one run may take."),
    ("memories.requests_per_day", int, 300, "Requests per day, over all projects."),
    ("memories.tokens_per_day", int, 2000000, "Tokens per day, over all projects."),
    ("memories.seconds_per_day", float, 7200.0, "Seconds of model time per day, over all projects."),
    (
        "models.default",
        str,
        "none",
        "The model that learns: `none` (rules only), `openai:MODEL` (any endpoint with that protocol, see"
        " `models.url`), `anthropic:MODEL`, `claude`, `codex`, `gemini` (your own login, `claude:MODEL` picks"
        " one), `auto` (the first of these three, that of the session before others) or `command`"
        " (`models.command`).",
    ),
    ("models.smol", str, "", "The model that consolidates, written the same way. Empty = `models.default`."),
    (
        "models.url",
        str,
        "",
        "Address of the endpoint, such as http://127.0.0.1:11434/v1. Empty = the vendor's own.",
    ),
    (
        "models.key_env",
        str,
        "",
        "Name of the environment variable with the key. Empty = OPENAI_API_KEY or ANTHROPIC_API_KEY. The key"
        " itself is never stored.",
    ),
    ("models.key_command", str, "", "Command that prints the key, instead of the variable."),
    (
        "models.command",
        str,
        "",
        "Command that reads a prompt on standard input and prints the answer; {schema} is replaced by a file"
        " with the JSON schema, {model} by the model's name.",
    ),
    ("models.timeout", float, 120.0, "Seconds to wait for an answer."),
    ("models.window", int, 0, "Tokens that fit into the model's window; 0 = not known."),
    (
        "models.effort",
        ("", "minimal", "low", "medium", "high"),
        "",
        "Reasoning effort, if the model has such.",
    ),
)
# The most a number may be. More is a slip of the finger, and some would be too much for the calendar.
LIMITS = {
    "long_term.soft_limit": 10_000_000,
    "long_term.stale_days": 36_500,
    "history.versions": 100_000,
    "history.days": 36_500,
    "lock.seconds": 3_600,
    "semantic.timeout": 3_600,
    "semantic.seconds": 3_600,
    "memories.max_rollout_age_days": 36_500,
    "memories.min_rollout_idle_hours": 8_760,
    "memories.max_rollouts_per_startup": 100_000,
    "memories.summary_injection_token_limit": 10_000_000,
    "memories.stage1_concurrency": 64,
    "memories.stage1_lease_seconds": 3_600,
    "memories.stage1_retry_delay_seconds": 3_600,
    "memories.phase2_lease_seconds": 3_600,
    "memories.phase2_retry_delay_seconds": 3_600,
    "memories.phase2_heartbeat_seconds": 3_600,
    "memories.thread_scan_limit": 100_000,
    "memories.max_raw_memories_for_global": 100_000,
    "memories.rollout_payload_percent": 1,
    "memories.phase1_input_token_limit": 10_000_000,
    "memories.fallback_token_limit": 10_000_000,
    "memories.max_unused_days": 36_500,
    "memories.cooldown_hours": 8_760,
    "memories.loss_percent": 100,
    "memories.requests_per_run": 1_000_000,
    "memories.tokens_per_run": 1_000_000_000,
    "memories.seconds_per_run": 3_600,
    "memories.requests_per_day": 1_000_000,
    "memories.tokens_per_day": 1_000_000_000,
    "memories.seconds_per_day": 86_400,
    "models.timeout": 3_600,
    "models.window": 10_000_000,
}
