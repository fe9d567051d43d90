" Tells the language client that is installed how to start Lanescope: vim-lsp, ALE, or yegappan/lsp.
" `g:lanescope_command` is the command, `lanescope` on PATH if it is not set.
if exists('g:loaded_lanescope') || has('nvim')
  finish
endif
let g:loaded_lanescope = 1
let g:lanescope_command = get(g:, 'lanescope_command', 'lanescope')

function! LanescopeRoot(buffer) abort
  let path = expand('#' . a:buffer . ':p')
  " A file of the server's own, such as the prelude, to which definitions lead, needs no server of its own.
  if lanescope#IsOfServer(path)
    return ''
  endif
  let git = finddir('.git', fnamemodify(path, ':h') . ';')
  return empty(git) ? fnamemodify(path, ':h') : fnamemodify(git, ':p:h:h')
endfunction

augroup lanescope
  autocmd!
  autocmd BufWinEnter */lanescope-views-*/*.lane-ir,*/lanescope-views-*/*.s,lanescope-view:/*
        \ nnoremap <buffer> <silent> K :<C-U>call lanescope#Explain()<CR>
  " https://github.com/prabirshrestha/vim-lsp
  autocmd User lsp_setup call lsp#register_server({
        \ 'name': 'lanescope',
        \ 'cmd': {server_info -> [g:lanescope_command, 'lsp']},
        \ 'allowlist': ['lane', 'ispc'],
        \ })
  " https://github.com/yegappan/lsp
  autocmd User LspSetup call LspAddServer([#{
        \ name: 'lanescope',
        \ filetype: ['lane', 'ispc'],
        \ path: g:lanescope_command,
        \ args: ['lsp'],
        \ }])
  " https://github.com/dense-analysis/ale looks at a file as soon as its window is there, and has to know the server by then.
  autocmd FileType lane ++once call s:DefineForAle('lane')
  autocmd FileType ispc ++once call s:DefineForAle('ispc')
augroup END

function! s:DefineForAle(filetype) abort
  if empty(globpath(&runtimepath, 'autoload/ale/linter.vim'))
    return
  endif
  call ale#linter#Define(a:filetype, {
        \ 'name': 'lanescope',
        \ 'lsp': 'stdio',
        \ 'executable': {-> g:lanescope_command},
        \ 'command': '%e lsp',
        \ 'project_root': function('LanescopeRoot'),
        \ })
endfunction
