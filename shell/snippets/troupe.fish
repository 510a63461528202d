# SPDX-License-Identifier: MIT
# troupe shell integration for fish >= 3.4: marks prompts, commands and exit codes (OSC 133, OSC 7).
#   troupe shell-integration fish | source      at the end of ~/.config/fish/config.fish
# Every name it defines begins with __troupe_. Loading it twice is harmless.

if status is-interactive
    # The nonce proves to the terminal that a mark is the shell's own: no child may inherit it.
    if builtin string match -qr '^[0-9A-Za-z]+$' -- "$TROUPE_NONCE"
        set -gu __troupe_nonce $TROUPE_NONCE
    end
    set -e TROUPE_NONCE
    set -gu __troupe_tail ''
    set -gu __troupe_field ''
    if set -q __troupe_nonce
        set __troupe_tail ";nonce=$__troupe_nonce"
        set __troupe_field ";$__troupe_nonce"
    end

    # fish >= 4 marks by itself (feature mark-prompt). A second set of marks would be a second
    # command to the terminal, so then there is nothing to add.
    status test-feature mark-prompt 2>/dev/null
    set -gu __troupe_native $status
    if test $__troupe_native -gt 1; and test (builtin string split . -- $version)[1] -ge 4
        set __troupe_native 0
    end

    if test $__troupe_native -ne 0
        # Escapes $argv[1] for 633;E: backslash, semicolon and control characters.
        function __troupe_escape
            set -l text (builtin string sub -l 4096 -- $argv[1] | builtin string collect)
            set text (builtin string replace -a '\\' '\\\\' -- $text | builtin string collect)
            set text (builtin string replace -a ';' '\\x3b' -- $text | builtin string collect)
            set text (builtin string replace -a \n '\\x0a' -- $text | builtin string collect)
            if builtin string match -qr '[\x01-\x1f\x7f]' -- $text
                for code in 0 1 7
                    for digit in 0 1 2 3 4 5 6 7 8 9 a b c d e f
                        contains $code$digit 00 0a; or test $code = 7 -a $digit != f; and continue
                        set -l byte (builtin printf "\\x$code$digit")
                        set text (builtin string replace -a $byte "\\x$code$digit" -- $text)
                    end
                end
            end
            builtin printf %s $text
        end

        # The line was read and is about to run.
        function __troupe_preexec --on-event fish_preexec
            builtin printf '\e]633;E;%s%s\a\e]133;C%s\a' (__troupe_escape $argv[1] | builtin string collect) $__troupe_field $__troupe_tail
        end

        function __troupe_postexec --on-event fish_postexec
            builtin printf '\e]133;D;%s%s\a' $status $__troupe_tail
        end

        function __troupe_prompt --on-event fish_prompt
            __troupe_wrap
            builtin printf '\e]7;file://%s%s\a\e]133;A\a' $hostname (builtin string escape --style=url -- $PWD)
        end

        # Makes fish_prompt end with B, also after the user or a theme defined it anew.
        function __troupe_wrap
            functions -q fish_prompt; or return 0
            functions fish_prompt | builtin string match -q '*__troupe_user_prompt*'; and return 0
            functions -e __troupe_user_prompt
            functions -c fish_prompt __troupe_user_prompt
            function fish_prompt
                __troupe_user_prompt
                builtin printf '\e]133;B\a'
            end
        end
    end
end
