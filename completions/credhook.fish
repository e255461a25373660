# fish completion for credhook. The binary itself says what could come next, from the rows its parser reads:
# `credhook help --complete -- WORD...` prints a candidate and its meaning per line, and ":files PREFIX" where names of
# files go too.

function __credhook_complete
    set -l words (commandline --tokenize --cut-at-cursor --current-process)
    set -l word (commandline --current-token --cut-at-cursor)
    set -l program (string replace --regex '^~/' "$HOME/" -- $words[1])
    for line in ($program help --complete -- (string replace --regex '^~/' "$HOME/" -- $words[2..-1]) (string unescape -- "$word"; or echo -- "$word") 2>/dev/null)
        if not string match --quiet ':*' -- $line
            echo $line
            continue
        end
        set -l prefix (string replace ':files ' '' -- $line)
        set -l rest (string sub --start (math (string length -- "$prefix") + 1) -- "$word")
        for path in (complete --do-complete "'' $rest")
            echo $prefix(string split --max 1 \t -- $path)[1]
        end
    end
end

complete --command credhook --no-files --keep-order --arguments '(__credhook_complete)'
