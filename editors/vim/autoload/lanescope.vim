" Explains the op or instruction under the cursor of a view, which is a file that the server wrote, or in a new coc.nvim a document of
" the server's. The client that runs the server sends `lanescope/explainWord`: vim-lsp, ALE, yegappan/lsp, or coc.nvim.

" True of the name of a view, and of a file in a folder in which a server keeps views and the prelude.
function! lanescope#IsOfServer(name) abort
  return a:name =~# '^lanescope-view:\|/lanescope-views-[^/]*/[^/]*$'
endfunction

function! lanescope#Explain() abort
  let source = s:Source()
  if source == 0
    return s:Say('no Lane or ISPC file is open whose server could be asked')
  endif
  let view = bufnr('')
  let [name, target] = s:NameAndTarget(bufname(''))
  let word = {
        \ 'languageId': s:Language(name),
        \ 'line': getline('.'),
        \ 'character': strchars(strpart(getline('.'), 0, col('.') - 1)),
        \ }
  if !empty(target)
    let word.target = target
  endif
  " Who has gone elsewhere meanwhile does not want it any more.
  let Answered = {answer -> bufnr('') == view ? s:Show(answer) : 0}
  if !s:Ask(source, 'lanescope/explainWord', word, Answered)
    call s:Say('no language server is attached to ' . bufname(source))
  endif
endfunction

" The name of a view, and the target that its address says if it has one: `lanescope-view:/scale.asm.s?source=…&target=neon`.
function! s:NameAndTarget(buffer) abort
  if a:buffer !~# '^lanescope-view:'
    return [fnamemodify(a:buffer, ':t'), '']
  endif
  return [matchstr(a:buffer, ':/*\zs[^?]*'), matchstr(a:buffer, '[?&]target=\zs[^&]*')]
endfunction

" The language of a view, from its name: that of the kernel, that of the stage, and what is Lane IR, but for the first two stages.
function! s:Language(name) abort
  let [stage, extension] = [fnamemodify(a:name, ':r:e'), fnamemodify(a:name, ':e')]
  return index(['parsed', 'typed'], stage) >= 0 ? 'lane' : get({'s': 'asm', 'lane-ir': 'lane-ir'}, extension, 'plaintext')
endfunction

" The buffer of a source, from which a client knows the server: the one that was looked at last.
function! s:Source() abort
  let sources = filter(getbufinfo({'bufloaded': 1}), {_, buffer ->
        \ index(['lane', 'ispc'], getbufvar(buffer.bufnr, '&filetype')) >= 0 && !lanescope#IsOfServer(buffer.name)})
  call sort(sources, {a, b -> get(b, 'lastused', 0) - get(a, 'lastused', 0)})
  return empty(sources) ? 0 : sources[0].bufnr
endfunction

" Has the client that runs the server of a source ask it; false if there is none.
function! s:Ask(source, method, params, Answered) abort
  if exists('g:lsp_loaded') && lsp#is_server_running('lanescope')
    call lsp#send_request('lanescope', {
          \ 'method': a:method,
          \ 'params': a:params,
          \ 'bufnr': a:source,
          \ 'on_notification': {data -> a:Answered(get(get(data, 'response', {}), 'result', v:null))},
          \ })
    return 1
  endif
  if exists('*g:LspServerRunning')
    for server in filter(copy(lsp#buffer#BufLspServersGet(a:source)), {_, it -> it.name ==# 'lanescope' && it.running})
      call server.rpc_a(a:method, a:params, {_, answer, ... -> a:Answered(answer)})
      return 1
    endfor
  endif
  if exists('*ale#lsp_linter#SendRequest') && exists('*ale#linter#Get')
    let linters = ale#linter#Get(getbufvar(a:source, '&filetype'))
    if !empty(filter(copy(linters), {_, it -> it.name ==# 'lanescope'}))
      call ale#lsp_linter#SendRequest(a:source, 'lanescope', [0, a:method, a:params],
            \ {response -> a:Answered(get(response, 'result', v:null))})
      return 1
    endif
  endif
  if exists('*CocRequestAsync')
    call CocRequestAsync('lanescope', a:method, a:params, {error, ... -> a:Answered(get(a:000, 0, v:null))})
    return 1
  endif
  return 0
endfunction

" The window of the explanation that was shown last.
let s:popup = 0

" Shows an explanation over the cursor, or in the last line where Vim has no such windows.
function! s:Show(answer) abort
  if type(a:answer) != v:t_dict
    return s:Say('there is nothing to say of this word')
  endif
  let contents = a:answer.contents
  let lines = split(contents.value, "\n", 1)
  if !exists('*popup_atcursor')
    echo join(lines, "\n")
    return
  endif
  call popup_close(s:popup)
  let s:popup = popup_atcursor(lines, {'border': [], 'padding': [0, 1, 0, 1], 'maxwidth': 80, 'moved': 'any'})
  if contents.kind ==# 'markdown'
    call win_execute(s:popup, 'setlocal conceallevel=2 syntax=markdown')
  endif
endfunction

function! s:Say(words) abort
  echo 'lanescope: ' . a:words
endfunction
