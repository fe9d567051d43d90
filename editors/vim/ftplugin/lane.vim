" Lane: spaces only, `#` comments, and `##` documentation that goes on over lines.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal expandtab shiftwidth=4 softtabstop=4 tabstop=4
setlocal comments=b:##,b:# commentstring=#\ %s
setlocal formatoptions-=t formatoptions+=croql
setlocal suffixesadd=.lane
let b:match_words = '\<c\?if\>:\<elif\>:\<else\>'

let b:undo_ftplugin = 'setlocal expandtab< shiftwidth< softtabstop< tabstop< comments< commentstring< formatoptions< suffixesadd<'
      \ . '| unlet! b:match_words'
