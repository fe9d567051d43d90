# Vim: the file type, the colours, the indentation while typing, and the real server in ALE's hands.
source "$(dirname "$0")/support.sh"
need_debian vim vim

# Runs a script of Vim's, from standard input, in a Vim that knows this folder and nothing else.
run_vim() {
    cat >"$scratch/script.vim"
    timeout 60 vim -es -N -u NONE -i NONE --cmd "set rtp^=$editors/vim" "$@" -S "$scratch/script.vim" -c 'qa!' </dev/null || true
}

run_vim <<VIM
filetype plugin indent on
syntax on
edit $tests/kernel.lane
redir! > $scratch/seen
echo &filetype &expandtab &shiftwidth &commentstring
for [line, column] in [[1, 1], [1, 14], [2, 1], [3, 1], [3, 8], [3, 23], [4, 5], [5, 5], [7, 22], [7, 38], [9, 45], [12, 15], [12, 19]]
  echo synIDattr(synID(line, column, 1), 'name')
endfor
redir END
VIM
expect "$(tr -s '\n ' ' ' <"$scratch/seen")" 'lane 1 4 # %s' \
    'laneDoc laneCode laneAttribute laneItem laneName laneType laneStorage laneRepeat laneBuiltin laneFloat laneComment laneText laneEscape'

echo 'export void f(uniform float a[]) { foreach (i = 0 ... 4) a[i] = programIndex; }' >"$scratch/seen.isph"
run_vim <<VIM
filetype plugin indent on
syntax on
edit $scratch/seen.isph
redir! > $scratch/seen
echo &filetype &commentstring
for column in [1, 8, 15, 37, 66]
  echo synIDattr(synID(1, column, 1), 'name')
endfor
redir END
VIM
expect "$(tr -s '\n ' ' ' <"$scratch/seen")" 'ispc // %s' 'ispcStorage cType ispcStorage ispcRepeat ispcConstant'

# As somebody types it: Vim sets every indentation but the last, which goes one step out by hand.
run_vim <<VIM
filetype plugin indent on
edit $scratch/typed.lane
execute "normal! ikernel f(\<CR>a,\<CR>n,\<CR>):\<CR>for i in range(n):\<CR>if a[i] > 0:\<CR>a[i] = g(\<CR>1,\<CR>)\<CR>"
    \ . "elif n:\<CR>pass\<CR>a[0] = 1\<CR>\<C-D>return 0"
write
VIM
cat >"$scratch/wanted.lane" <<'LANE'
kernel f(
    a,
    n,
):
    for i in range(n):
        if a[i] > 0:
            a[i] = g(
                1,
            )
        elif n:
            pass
        a[0] = 1
    return 0
LANE
diff "$scratch/wanted.lane" "$scratch/typed.lane"

# A header that lacks its colon has a block all the same, and the line below documentation is none.
run_vim <<VIM
filetype plugin indent on
edit $scratch/headers.lane
execute "normal! i## Documented.\<CR>kernel f(a: f32[n], n: i32)\<CR>for i in range(n)\<CR>if a[i] > 0\<CR>pass\<CR>else\<CR>a[i] = 1"
write
VIM
cat >"$scratch/wanted.lane" <<'LANE'
## Documented.
kernel f(a: f32[n], n: i32)
    for i in range(n)
        if a[i] > 0
            pass
        else
            a[i] = 1
LANE
diff "$scratch/wanted.lane" "$scratch/headers.lane"

# A case stands under the one before it, and an enum in column 0.
run_vim <<VIM
filetype plugin indent on
edit $scratch/cases.lane
execute "normal! ienum Kind: Low, High\<CR>\<CR>kernel f(kinds: Kind[n], a: i32[n], n: i32):\<CR>for i in range(n)\<CR>match kinds[i]"
    \ . "\<CR>case Low:\<CR>a[i] = 1\<CR>case High\<CR>a[i] = 2"
normal! gg=G
write
VIM
cat >"$scratch/wanted.lane" <<'LANE'
enum Kind: Low, High

kernel f(kinds: Kind[n], a: i32[n], n: i32):
    for i in range(n)
        match kinds[i]
            case Low:
                a[i] = 1
            case High
                a[i] = 2
LANE
diff "$scratch/wanted.lane" "$scratch/cases.lane"

run_vim <<VIM
filetype plugin indent on
edit $tests/kernel.lane
normal! gg=G
write! $scratch/indented.lane
VIM
diff "$tests/kernel.lane" "$scratch/indented.lane"

ale=/usr/share/vim-ale
[[ -d $ale || ${INSTALL-} != 1 ]] || apt-get install -y --no-install-recommends vim-ale
[[ -d $ale ]] || skip "the server in ALE's hands, and nothing before: \`vim-ale\` is not installed (Debian: apt-get install vim-ale)"
run_vim --cmd "set rtp+=$ale" --cmd 'let g:lanescope_command = "/opt/lanescope"' <<VIM
runtime plugin/ale.vim
runtime plugin/lanescope.vim
setfiletype lane
redir! > $scratch/ale
echo LanescopeRoot(bufadd('$scratch/lanescope-views-a/prelude_math.lane')) == '' LanescopeRoot(bufadd('$scratch/a.lane'))
for linter in ale#linter#Get('lane')
  echo linter.name linter.lsp ale#linter#GetExecutable(1, linter) ale#linter#GetCommand(1, linter)
endfor
redir END
VIM
expect "$(cat "$scratch/ale")" "1 $scratch" 'lanescope stdio /opt/lanescope %e lsp'

# And in earnest: as soon as a file is opened, ALE starts the server, which finds what is wrong; then hovers and jumps, and the words
# of a view, which the server writes to a file.
need_server
mkdir "$scratch/.git"
cp "$tests/neovim.lane" "$scratch/kernel.lane"
cat >"$scratch/vimrc" <<VIM
set nocompatible runtimepath^=$editors/vim,$ale viminfo=
let g:lanescope_command = '$lanescope'
let g:ale_hover_to_preview = 1
filetype plugin indent on
function! Look(timer) abort
  let found = ale#engine#GetLoclist(bufnr('kernel.lane'))
  if empty(found)
    return
  endif
  call timer_stop(a:timer)
  call writefile(map(copy(found), {_, it -> printf('%d %d %s', it.lnum, it.col, it.text)}), '$scratch/found')
  call search('twice(samples')
  ALEGoToDefinition
  call timer_start(100, 'Jumped', {'repeat': -1})
endfunction
function! Jumped(timer) abort
  if line('.') == 2
    call timer_stop(a:timer)
    call writefile([line('.')], '$scratch/jumped')
    call search('loud \*')
    ALEHover
    call timer_start(100, 'Hovered', {'repeat': -1})
  endif
endfunction
function! Hovered(timer) abort
  for buffer in range(1, bufnr('\$'))
    if join(getbufline(buffer, 1, '\$')) =~# 'loud: f32'
      call writefile(getbufline(buffer, 1, '\$'), '$scratch/hovered')
      call timer_stop(a:timer)
      pclose
      %substitute/volumes/volume/
      let view = {'textDocument': {'uri': ale#util#ToURI(expand('%:p'))}, 'position': {'line': 7, 'character': 0}, 'stage': 'sequential'}
      let command = {'command': 'lanescope.view', 'arguments': [view]}
      call ale#lsp#NotifyForChanges(keys(ale#lsp_linter#GetLSPLinterMap())[0], bufnr(''))
      call ale#lsp_linter#SendRequest(bufnr(''), 'lanescope', [0, 'workspace/executeCommand', command])
      call timer_start(100, 'Viewed', {'repeat': -1})
      break
    endif
  endfor
endfunction
function! Viewed(timer) abort
  let view = glob('$scratch/lanescope-views-*/scale.sequential.lane-ir')
  if !empty(view)
    call timer_stop(a:timer)
    execute 'hide edit' view
    call writefile([&filetype], '$scratch/viewed')
    call search('for i')
    normal K
    call timer_start(100, 'Explained', {'repeat': -1})
  endif
endfunction
function! Explained(timer) abort
  for popup in popup_list()
    call writefile(getbufline(winbufnr(popup), 1, '\$'), '$scratch/explained')
    qall!
  endfor
endfunction
autocmd VimEnter * call timer_start(100, 'Look', {'repeat': -1})
VIM
TMPDIR=$scratch TERM=xterm timeout 60 script -qec "vim -i NONE -u $scratch/vimrc $scratch/kernel.lane" /dev/null </dev/null >/dev/null || true
expect "$(cat "$scratch/found")" '8 45 nothing here is called `volumes`'
expect "$(cat "$scratch/jumped")" 2
expect "$(cat "$scratch/hovered")" 'loud: f32'
expect "$(cat "$scratch/viewed")" laneir
expect "$(cat "$scratch/explained")" 'one after the other'
