" ISPC: comments as in C.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal comments=sO:*\ -,mO:*\ \ ,exO:*/,s1:/*,mb:*,ex:*/,:/// commentstring=//\ %s
setlocal cindent include=^\s*#\s*include suffixesadd=.isph,.ispc,.ih

let b:undo_ftplugin = 'setlocal comments< commentstring< cindent< include< suffixesadd<'
