" Which files are Lane, which are Lane IR, and which are ISPC.
autocmd BufRead,BufNewFile *.lane setfiletype lane
autocmd BufRead,BufNewFile *.laneir,*.lane-ir setfiletype laneir
autocmd BufRead,BufNewFile *.ispc,*.isph,*.ih setfiletype ispc
