# Lane for Kakoune: file type, colours, indentation, and the language server by kakoune-lsp; it answers about ISPC files, too.

hook global BufCreate .*\.lane %{ set-option buffer filetype lane }
hook global BufCreate .*\.(laneir|lane-ir) %{ set-option buffer filetype laneir }
hook global BufCreate .*\.(ispc|isph|ih) %{ set-option buffer filetype ispc }

hook global WinSetOption filetype=lane %{
    require-module lane
    set-option window static_words %opt{lane_static_words}
    set-option buffer indentwidth 4
    set-option buffer comment_line '#'
    hook window InsertChar \n -group lane-indent lane-indent-on-new-line
    hook -once -always window WinSetOption filetype=.* %{ remove-hooks window lane-.+ }
}

hook -group lane-highlight global WinSetOption filetype=lane %{
    add-highlighter window/lane ref lane
    hook -once -always window WinSetOption filetype=.* %{ remove-highlighter window/lane }
}

hook -group lane-highlight global WinSetOption filetype=laneir %{
    require-module lane
    add-highlighter window/laneir ref laneir
    hook -once -always window WinSetOption filetype=.* %{ remove-highlighter window/laneir }
}

# https://github.com/kakoune-lsp/kakoune-lsp reads this option.
hook -group lsp-filetype-lane global BufSetOption filetype=(lane|ispc) %{
    try %{
        set-option buffer lsp_servers %{
            [lanescope]
            root_globs = [".git", ".hg"]
            command = "lanescope"
            args = ["lsp"]
        }
    }
}

declare-option -docstring 'the target of views, if it is another one than this machine' str lane_target

# Views are files that the server writes.
hook global BufCreate .*/lanescope-views-[^/]*/[^/]*\.(lane-ir|s) %{
    map buffer normal <ret> ': lane-explain<ret>' -docstring 'explain this op or instruction'
}

# kakoune-lsp sends no request that it does not know. All that this one needs is a line, so that any server can answer: one is started
# to be asked, which takes about a tenth of a second.
define-command lane-explain -docstring 'Explain the op or instruction at the cursor of a view: what it does, and what it takes' %{
    evaluate-commands -save-regs l %{
        evaluate-commands -draft %{
            execute-keys <semicolon>x
            set-register l %val{selection}
        }
        evaluate-commands %sh{
            command -v lanescope >/dev/null || { echo "fail 'lanescope is not on PATH'"; exit; }
            case $kak_bufname in
                *.s) language=asm ;;
                *.parsed.lane-ir | *.typed.lane-ir) language=lane ;;
                *) language=lane-ir ;;
            esac
            carriage_return=$(printf '\r')
            say() {
                printf 'Content-Length: %d\r\n\r\n%s' "$(printf %s "$1" | wc -c)" "$1" >&3
            }
            # The answer to the question of this number.
            hear() {
                while :; do
                    size=0
                    while IFS= read -r header <&4 && header=${header%"$carriage_return"} && [ -n "$header" ]; do
                        case $header in Content-Length:*) size=${header#*: } ;; esac
                    done
                    [ "$size" -gt 0 ] || return
                    answer=$(dd bs=1 count="$size" <&4 2>/dev/null)
                    case $answer in *'"id":'"$1"*) break ;; esac
                done
                printf '%s\n' "$answer"
            }
            quoted() {
                printf %s "$1" | sed 's/[\\"]/\\&/g; s/\t/\\t/g'
            }
            pipes=$(mktemp -d) && mkfifo "$pipes/in" "$pipes/out" || { echo "fail 'there is no place for pipes'"; exit; }
            trap '' PIPE
            lanescope lsp <"$pipes/in" >"$pipes/out" 2>/dev/null &
            exec 3>"$pipes/in" 4<"$pipes/out"
            rm -r "$pipes"
            say '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{"general":{"positionEncodings":["utf-8"]},"textDocument":{"hover":{"contentFormat":["plaintext"]}}}}}'
            hear 1 >/dev/null
            say '{"jsonrpc":"2.0","method":"initialized","params":{}}'
            target=${kak_opt_lane_target:+',"target":"'$(quoted "$kak_opt_lane_target")'"'}
            say '{"jsonrpc":"2.0","id":2,"method":"lanescope/explainWord","params":{"languageId":"'$language'"'"$target"',"line":"'"$(quoted "$kak_main_reg_l")"'","character":'$((kak_cursor_column - 1))'}}'
            found=$(hear 2 | sed -nE 's/.*"value":"(([^"\\]|\\.)*)".*/\1/p' | sed 's/\\"/"/g')
            say '{"jsonrpc":"2.0","id":3,"method":"shutdown"}'
            hear 3 >/dev/null
            say '{"jsonrpc":"2.0","method":"exit"}'
            [ -n "$found" ] || { echo "fail 'there is nothing to say of this word'"; exit; }
            printf "info -anchor %d.%d -- '%s'" "$kak_cursor_line" "$kak_cursor_column" "$(printf %b "$found" | sed "s/'/''/g")"
        }
    }
}

provide-module lane %§

declare-option -hidden str-list lane_static_words kernel fn struct const let uniform varying for foreach cfor in while cwhile if cif elif else break continue return pass assert and or not true false min max abs clamp select sqrt rsqrt rcp floor ceil round trunc fma mul_add exp exp2 exp10 expm1 log log2 log10 log1p log_base pow sin cos sincos tan sinpi cospi asin acos atan atan2 sinh cosh tanh asinh acosh atanh cbrt hypot erf erfc mix lerp step smoothstep fract sign copysign degrees radians ldexp frexp_fraction frexp_exponent nextafter isnan is_finite to_bits from_bits mul_high cast_like popcount clz ctz rotate_left rotate_right abs_diff add_sat sub_sat avg_round load_u16 store_u16 load_i16 store_i16 load_u32 store_u32 load_i32 store_i32 load_u64 store_u64 load_i64 store_i64 load_f32 store_f32 load_f64 store_f64 atomic_add atomic_min atomic_max atomic_and atomic_or atomic_xor atomic_exchange prefetch cross normalize distance reflect determinant inverse diagonal byte_swap reverse_bits cast_sat largest lowest pi tau inf nan range enumerate reversed map reduce scan iota replicate zip length sum mean product minimum maximum argmin argmax count filter reverse transpose flatten reshape concat gather scatter cumsum diff dot linspace outer matmul lane_id LANES any all none reduce_add reduce_min reduce_max broadcast rotate shuffle scan_add compress_store expand_load bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 f16 bf16

add-highlighter shared/lane regions
add-highlighter shared/lane/code default-region group
add-highlighter shared/lane/documentation region '^##(?!#)' '$' group
add-highlighter shared/lane/documentation/ fill documentation
add-highlighter shared/lane/documentation/ regex '`[^`]*`' 0:mono
add-highlighter shared/lane/comment region '#' '$' fill comment
add-highlighter shared/lane/text region '"' '(?<!\\)(?:\\\\)*"|$' fill string
add-highlighter shared/lane/character region "'" "(?<!\\)(?:\\\\)*'|$" fill string

add-highlighter shared/lane/code/ regex '(?<![\w.])(?:0[xX][0-9a-fA-F_]+|0[bB][01_]+|\d[\d_]*(?:\.(?![a-zA-Z_.])[\d_]*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)\b' 0:value
add-highlighter shared/lane/code/ regex '[-+*/%<>=!&|^~\\]' 0:operator
add-highlighter shared/lane/code/ regex '^\h*@\h*\w+' 0:attribute
add-highlighter shared/lane/code/ regex '(?<![\w.])(?:kernel|fn|struct|const|let|for|foreach|cfor|in|while|cwhile|if|cif|elif|else|break|continue|return|pass|assert|and|or|not)\b' 0:keyword
add-highlighter shared/lane/code/ regex '(?<![\w.])(static)\h+(?:for|if|assert)\b' 1:keyword
add-highlighter shared/lane/code/ regex '(?<![\w.])(?:uniform|varying)\b' 0:meta
add-highlighter shared/lane/code/ regex '(?<![\w.])(?:true|false|lane_id|LANES)\b' 0:value
add-highlighter shared/lane/code/ regex '^(?:kernel|fn)\h+(\w+)' 1:function
add-highlighter shared/lane/code/ regex '^struct\h+(\w+)' 1:type
add-highlighter shared/lane/code/ regex '^(enum)\h+(\w+)' 1:keyword 2:type
add-highlighter shared/lane/code/ regex '^(use)\h+(?=[\w.])' 1:keyword
add-highlighter shared/lane/code/ regex '^\h+(match|case)\b[^=\n]*:' 1:keyword
add-highlighter shared/lane/code/ regex '(?<![\w.])(?:bool|i8|i16|i32|i64|u8|u16|u32|u64|f32|f64|f16|bf16)\b' 0:type
add-highlighter shared/lane/code/ regex '(?<![\w.])(?:min|max|abs|clamp|select|sqrt|rsqrt|rcp|floor|ceil|round|trunc|fma|mul_add|exp|exp2|exp10|expm1|log|log2|log10|log1p|log_base|pow|sin|cos|sincos|tan|sinpi|cospi|asin|acos|atan|atan2|sinh|cosh|tanh|asinh|acosh|atanh|cbrt|hypot|erf|erfc|mix|lerp|step|smoothstep|fract|sign|copysign|degrees|radians|ldexp|frexp_fraction|frexp_exponent|nextafter|isnan|is_finite|to_bits|from_bits|mul_high|cast_like|popcount|clz|ctz|rotate_left|rotate_right|abs_diff|add_sat|sub_sat|avg_round|load_u16|store_u16|load_i16|store_i16|load_u32|store_u32|load_i32|store_i32|load_u64|store_u64|load_i64|store_i64|load_f32|store_f32|load_f64|store_f64|atomic_add|atomic_min|atomic_max|atomic_and|atomic_or|atomic_xor|atomic_exchange|prefetch|cross|normalize|distance|reflect|determinant|inverse|diagonal|byte_swap|reverse_bits|cast_sat|largest|lowest|range|enumerate|reversed|map|reduce|scan|iota|replicate|zip|length|sum|mean|product|minimum|maximum|argmin|argmax|count|filter|reverse|transpose|flatten|reshape|concat|gather|scatter|cumsum|diff|dot|linspace|outer|matmul|any|all|none|reduce_add|reduce_min|reduce_max|broadcast|rotate|shuffle|scan_add|compress_store|expand_load)(?=\()' 0:builtin

add-highlighter shared/laneir group
add-highlighter shared/laneir/ regex '(?<![\w.])\d+(?:\.\d*)?(?:[eE][+-]?\d+)?\b' 0:value
add-highlighter shared/laneir/ regex '[-+*/%<>=!&|^~]' 0:operator
add-highlighter shared/laneir/ regex '^\h*@\w+' 0:attribute
add-highlighter shared/laneir/ regex '\b(?:kernel|let|for|foreach|cfor|vector_for|while|cwhile|in|do|with|reducing|from|if|cif|else|yield|return|pass)\b' 0:keyword
add-highlighter shared/laneir/ regex '\b(?:true|false|inf|nan|lane_id|LANES)\b' 0:value
add-highlighter shared/laneir/ regex '\b(?:bool|i8|i16|i32|i64|u8|u16|u32|u64|f32|f64|f16|bf16)\b' 0:type
add-highlighter shared/laneir/ regex '\b[a-z_]+_(?:load|store)(?=\()' 0:builtin
add-highlighter shared/laneir/ regex '\b(?:gather|scatter)(?=\()' 0:Error

define-command -hidden lane-indent-on-new-line %{
    evaluate-commands -draft -itersel %{
        # The indentation of the line before; a step deeper behind a header's colon, and out behind what ends a block.
        try %{ execute-keys -draft <semicolon>K<a-&> }
        try %{ execute-keys -draft kx<a-k>:\h*(?:#[^\n]*)?\n\z<ret>j<a-gt> }
        try %{ execute-keys -draft kx<a-k>^\h+(?:return|break|continue|pass)\b<ret>j<lt> }
        try %{ execute-keys -draft kxs\h+$<ret>d }
    }
}

§
