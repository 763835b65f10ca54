"""Tools and programs that work with this machine's files only; what is not listed may bring anybody's words.

A list of what reaches out would never be whole: there is always another spelling, another client, another
server. So a command stays here only if every program in it is listed, whatever joins them. In doubt it does
not: then what the agent says next is shown to who asks, and to nobody unasked.
"""

from __future__ import annotations

from memolith.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Tools that hosts have themselves, by their whole names: another server's `notion_search` is no search here.
TOOLS = {
    "shell": _set(
        "bash shell local_shell shell_command exec_command unified_exec container.exec run_shell_command"
        " run_terminal_cmd run_in_terminal execute_command execute_bash powershell terminal exec sh zsh cmd"
        " command"
    ),
    "edit": _set(
        "edit multiedit multi_edit write notebookedit apply_patch applypatch patch write_file edit_file"
        " create_file create str_replace str_replace_editor str_replace_based_edit_tool replace"
        " replace_in_file write_to_file insert_edit_into_file delete_file move_file rename_file"
    ),
    "eval": _set("eval python ipython repl js_repl notebook node javascript"),
    "read": _set("read read_file read_many_files view view_file cat open_file notebookread"),
    "search": _set(
        "grep rg ripgrep glob find ls list list_directory list_dir list_files search_file_content"
        " search_files grep_search file_search glob_file_search lsp"
    ),
    # They plan, ask the person, or look at a command that was seen when it began.
    "aside": _set(
        "todowrite todoread todo todo_write todo_read update_todo write_todos update_plan plan exitplanmode"
        " enterplanmode exit_plan_mode enter_plan_mode askuserquestion ask_user ask_user_question question"
        " request_user_input think report_intent bashoutput read_bash killshell killbash stop_bash taskstop"
        " taskcreate taskupdate tasklist taskget wait sleep"
    ),
}
_PROGRAMS = _set(  # files and text
    "ls cat head tail wc sort uniq cut tr grep egrep fgrep zgrep rg ag ack fd fdfind tree stat file du df pwd"
    " cd pushd popd echo printf mkdir rmdir touch cp mv rm ln chmod basename dirname realpath readlink which"
    " type whereis test [ [[ ]] true false : sleep date diff cmp comm patch sed jq yq xxd od hexdump strings"
    " md5sum sha1sum sha256sum shasum nl tac rev fold column paste join split tee export unset set shopt"
    " umask ulimit id whoami uname nproc free uptime ps kill jobs fg bg read exit return break continue shift"
    " trap declare local readonly seq bc expr cls clear done fi esac for dir apply_patch memolith"
    # compilers, test runners, formatters, linters
    " make gmake cmake ninja meson ctest gcc g++ clang clang++ cc c++ ld ar nm objdump rustc rustfmt javac"
    " kotlinc scalac ghc tsc swc esbuild jest vitest mocha ava tap pytest py.test tox nox mypy pyright ruff"
    " black isort flake8 pylint coverage eslint prettier stylelint biome golangci-lint gofmt goimports"
    " staticcheck shellcheck shfmt rubocop rspec phpunit phpstan gradle gradlew mvn mvnw bazel sbt zig"
    " clang-format clang-tidy xcodebuild"
)
_VERBS = {
    "git": _set(
        "status log diff show add commit branch checkout switch restore stash tag rev-parse rev-list ls-files"
        " ls-tree blame grep reset merge rebase cherry-pick revert mv rm worktree describe cat-file reflog"
        " shortlog init bisect apply clean merge-base diff-tree symbolic-ref for-each-ref name-rev"
    ),
    "npm": _set("test t run run-script ls"),
    "pnpm": _set("test t run build lint typecheck ls"),
    "yarn": _set("test run build lint typecheck"),
    "bun": _set("test run build"),
    "deno": _set("test check fmt lint"),
    "cargo": _set("build check test run clippy fmt doc bench clean tree nextest"),
    "go": _set("build test vet fmt list env version"),
    "dotnet": _set("build test format"),
    "swift": _set("build test"),
    "mix": _set("test compile format"),
    "terraform": _set("fmt validate"),
    "pip": _set("list freeze check"),
}
_MODULES = _set(
    "pytest unittest mypy ruff black isort flake8 pylint coverage compileall py_compile json.tool"
)
# What runs the program that is named behind it.
_WRAPPERS = _set("env timeout time nice nohup command builtin xargs stdbuf exec npx bunx")
_RUN = _set("uv poetry pdm hatch pipenv rye bundle")  # … run, … exec
_SHELLS = _set("bash sh zsh dash")
_KEYWORDS = _set("then do else elif if while until ! { } time")
_LOADING = ("PATH", "LD_", "DYLD_", "GIT_", "BASH", "ENV", "PAGER", "EDITOR", "NODE_OPTIONS", "PYTHONSTARTUP")
_ANYTHING = ("system(", "getline", "/inet/", "popen")  # a way out of awk
_EXECUTES = ("-exec", "-ok", "-x", "-X", "--exec")
_LONGEST = 1_800  # characters; of a longer command the end may be cut
_DEEPEST = 4
_HEREDOC = lazy(r"(?s)<<-?\s*(['\"]?)(\w+)\1([^\n⏎]*)[\n⏎](.*?[\n⏎])?\s*\2\s*(?=$|[\n⏎;)])")
_TOKEN = lazy(
    r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|\d*(?:>&|<&|&>>|&>|>>|>\||<<<|<\(|>\(|>|<)[\d-]*"
    r"|[ \t]+|\|\||&&|\$\(|[;|&()`\n\r⏎]|[^\s'\"\\;|&()`<>⏎$]+|(?s:.)"
)
_INNER = lazy(r"\$\(((?:[^()]|\([^()]*\))*)\)|`([^`]*)`")
_ASSIGNED = lazy(r"^[A-Za-z_]\w*\+?=")
_ENDS = frozenset([";", "|", "&", "(", ")", "`", "\n", "\r", "⏎", "||", "&&", "$(", "<(", ">("])
_COUNT = lazy(r"^(?:-.*|\{\}|\d+[smhd]?)$")


def stays(command: str, depth: int = 0) -> bool:
    """Tell whether a command works with this machine's files only."""
    if depth > _DEEPEST or len(command) > _LONGEST or "://" in command or "/dev/tcp" in command:
        return False
    simple: list[str] = []
    word: str | None = None
    skip = False  # the word that follows is a file that is read or written
    for found in _TOKEN.finditer(f"{_HEREDOC.sub(_without_body, command)}\n"):
        token = found[0]
        is_end = token in _ENDS
        if is_end or token.isspace() or token.lstrip("0123456789")[:1] in ("<", ">") or token[:2] == "&>":
            if word is not None and not skip:
                simple.append(word)
            skip = skip and word is None
            word = None
            if is_end:
                if simple and not _is_local(simple, depth):
                    return False
                simple, skip = [], False
            elif not token.isspace():
                skip = token[-1] in "<>&|"
        elif token in ("'", '"', "\\"):  # not whole
            return False
        else:
            quoted = token[0] in "'\"" and len(token) > 1
            if token[0] == '"' and not all(
                stays(one or other, depth + 1) for one, other in _INNER.findall(token)
            ):
                return False
            word = (word or "") + (token[1:-1] if quoted else token[1:] if token[0] == "\\" else token)
    return True


def _without_body(found: re.Match[str]) -> str:
    """Return the line before a text that a program is given: none that is listed runs what it says."""
    quote, line, body = found[1], found[3], found[4] or ""
    return line if quote or ("$(" not in body and "`" not in body) else f"{line}\n{body}"


def _is_local(words: list[str], depth: int) -> bool:
    while words and (words[0] in _KEYWORDS or _ASSIGNED.match(words[0])):
        if words[0].startswith(_LOADING):
            return False
        words = words[1:]
    if not words:
        return True
    folder, _, name = words[0].rpartition("/")
    given = words[1:]
    if folder not in ("", ".") and not folder.endswith("bin"):
        return False
    if name in _WRAPPERS or (name in _RUN and given[:1] in (["run"], ["exec"])):
        rest = given if name in _WRAPPERS else given[1:]
        while rest and _COUNT.match(rest[0]):
            rest = rest[1:]
        return _is_local(rest, depth)
    if name in _SHELLS:
        return len(given) == 2 and given[0] in ("-c", "-lc") and stays(given[1], depth + 1)
    if name in ("find", "fd", "fdfind"):
        runs = [at for at, each in enumerate(given, 1) if each.startswith(_EXECUTES)]
        return all(given[at:] != [] and _is_local(given[at:], depth) for at in runs)
    return _is_listed(name, given)


def _is_listed(name: str, given: list[str]) -> bool:
    if name.startswith("python"):
        return given[:1] == ["-m"] and given[1:2] != [] and given[1] in _MODULES
    if name in ("source", "."):
        return len(given) == 1 and given[0].endswith("/bin/activate")
    if name in ("awk", "gawk"):
        return not any(mark in each for each in given for mark in _ANYTHING)
    return name in _PROGRAMS or _verb(name, given) in _VERBS.get(name.rstrip("3"), ())


def _verb(name: str, given: list[str]) -> str:
    """Return what a program of many uses is asked to do."""
    while name == "git" and given and given[0] in ("-C", "--no-pager", "-P"):
        given = given[2 if given[0] == "-C" else 1 :]
    return given[0].partition(":")[0] if given else ""
