--- What neovim.lua and story.lua share.

local M = {}

--- Leaves with 1 unless the condition holds.
function M.check(condition, words)
  if not condition then
    io.stderr:write('\nnot so: ' .. words .. '\n')
    vim.cmd('cquit 1')
  end
  io.stdout:write('ok: ' .. words .. '\n')
end

--- Waits until something holds; measuring takes a while.
function M.eventually(words, condition, seconds)
  M.check(vim.wait((seconds or 30) * 1000, condition, 20), words)
end

--- The text of a buffer.
function M.lines(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
end

--- The errors that are marked in a buffer.
function M.errors(buffer)
  return vim.diagnostic.get(buffer, { severity = vim.diagnostic.severity.ERROR })
end

function M.press(keys)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(keys, true, false, true), 'x', false)
end

return M
