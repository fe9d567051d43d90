" Lane: spaces only, `#` comments, and `##` documentation.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal expandtab shiftwidth=4 softtabstop=4 tabstop=4
setlocal comments=b:##,b:# commentstring=#\ %s
" No comment goes on by itself behind a line break: below documentation stands a kernel.
setlocal formatoptions-=t formatoptions-=r formatoptions-=o formatoptions+=cql
setlocal suffixesadd=.lane
let b:match_words = '\<c\?if\>:\<elif\>:\<else\>'

let b:undo_ftplugin = 'setlocal expandtab< shiftwidth< softtabstop< tabstop< comments< commentstring< formatoptions< suffixesadd<'
      \ . '| unlet! b:match_words'
