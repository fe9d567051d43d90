--- Lanescope for Neovim, 0.7 and newer: starts the language server for Lane and ISPC files, and shows views of kernels beside them.
---
--- `vim.lsp.start` came with 0.8 and inlay hints with 0.10; what is older gets the same by hand, or not at all.

local M = {}

local options = {
  --- The server.
  cmd = { 'lanescope', 'lsp' },
  --- What it is set to: `{ hints = { variables = false } }`.
  settings = {},
  --- Called with the client and the buffer.
  on_attach = nil,
}

local highlights = vim.api.nvim_create_namespace('lanescope')

--- The client of each root, where there is no `vim.lsp.start` to remember it.
local clients = {}

--- The views that are open, by their buffers.
local views = {}

local function root_of(buffer)
  local path = vim.api.nvim_buf_get_name(buffer)
  local folder = path == '' and vim.fn.getcwd() or vim.fn.fnamemodify(path, ':p:h')
  local git = vim.fn.finddir('.git', folder .. ';')
  return git == '' and folder or vim.fn.fnamemodify(git, ':p:h:h')
end

local function attached(client, buffer)
  if vim.lsp.inlay_hint and client.server_capabilities.inlayHintProvider then
    vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
  end
  if not vim.lsp.start then
    -- What newer versions set by themselves: completion by CTRL-X CTRL-O, jumps by CTRL-], and gq.
    vim.bo[buffer].omnifunc = 'v:lua.vim.lsp.omnifunc'
    vim.bo[buffer].tagfunc = 'v:lua.vim.lsp.tagfunc'
    vim.bo[buffer].formatexpr = 'v:lua.vim.lsp.formatexpr()'
  end
  if options.on_attach then
    options.on_attach(client, buffer)
  end
end

--- The client that a buffer goes to because its file is the server's own: the prelude, to which definitions lead.
local function owner_of(buffer)
  local folder = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ':p:h:t')
  local get = vim.lsp.get_clients or vim.lsp.get_active_clients
  for _, client in ipairs(vim.startswith(folder, 'lanescope-views-') and get() or {}) do
    if client.name == 'lanescope' then
      return client.id
    end
  end
end

local function start(buffer)
  local owner = owner_of(buffer)
  if owner then
    vim.lsp.buf_attach_client(buffer, owner)
    return
  end
  local root = root_of(buffer)
  if vim.fn.executable(options.cmd[1]) == 0 then
    local words = 'lanescope: there is no program `%s`; name it with `require("lanescope").setup { cmd = … }`'
    vim.notify_once(words:format(options.cmd[1]), vim.log.levels.WARN)
    return
  end
  local config = {
    name = 'lanescope',
    cmd = options.cmd,
    root_dir = root,
    init_options = options.settings,
    settings = { lanescope = options.settings },
    on_attach = attached,
    on_exit = function()
      clients[root] = nil
    end,
    capabilities = vim.lsp.protocol.make_client_capabilities(),
  }
  if vim.lsp.start then
    vim.lsp.start(config, { bufnr = buffer })
  else
    clients[root] = clients[root] or vim.lsp.start_client(config)
    vim.lsp.buf_attach_client(buffer, clients[root])
  end
end

local function client_of(buffer)
  local get = vim.lsp.get_clients or vim.lsp.get_active_clients
  for _, client in ipairs(get()) do
    if client.name == 'lanescope' and vim.lsp.buf_is_attached(buffer, client.id) then
      return client
    end
  end
end

local function request(client, method, params, answer, buffer)
  if vim.fn.has('nvim-0.11') == 1 then
    client:request(method, params, answer, buffer)
  else
    client.request(method, params, answer, buffer)
  end
end

--- Lights lines of a buffer, and brings the first of them into view.
local function light(buffer, lines)
  vim.api.nvim_buf_clear_namespace(buffer, highlights, 0, -1)
  for _, line in ipairs(lines) do
    if line < vim.api.nvim_buf_line_count(buffer) then
      local whole = { end_row = line + 1, hl_group = 'Visual', hl_eol = true, strict = false }
      vim.api.nvim_buf_set_extmark(buffer, highlights, line, 0, whole)
    end
  end
  local window = vim.fn.bufwinid(buffer)
  if lines[1] and window ~= -1 and lines[1] < vim.api.nvim_buf_line_count(buffer) then
    vim.api.nvim_win_set_cursor(window, { lines[1] + 1, 0 })
  end
end

--- The lines of a view whose source starts at a line, else those of the innermost range around it.
local function lines_of(view, source_line)
  local starting, around, least = {}, {}, math.huge
  for _, entry in ipairs(view.shown.lines) do
    local range = type(entry.range) == 'table' and entry.range
    if range and range.start.line == source_line then
      table.insert(starting, entry.line)
    elseif range and range.start.line < source_line and source_line <= range['end'].line then
      local size = range['end'].line - range.start.line
      if size < least then
        around, least = {}, size
      end
      if size == least then
        table.insert(around, entry.line)
      end
    end
  end
  return #starting > 0 and starting or around
end

--- Says over a view, or in its status line before 0.8, what it is: the kernel, the stage, the target, the version of the source, the note.
local function entitle(view)
  local shown = view.shown or {}
  local title = {}
  local version = type(shown.version) == 'number' and 'version ' .. shown.version or ''
  for _, part in ipairs { shown.name or '', shown.stage or view.stage or '', shown.target or '', version } do
    if type(part) == 'string' and part ~= '' then
      table.insert(title, part)
    end
  end
  local words = ' ' .. table.concat(title, ' · ')
  if view.trouble then
    words = words .. '%#WarningMsg#  ' .. view.trouble:gsub('%%', '%%%%')
  end
  local option = vim.fn.exists('+winbar') == 1 and 'winbar' or 'statusline'
  -- What is of an earlier text is dimmed.
  local is_old = shown.outdated == true or (view.trouble ~= nil and view.trouble ~= shown.note)
  for _, window in ipairs(vim.fn.win_findbuf(view.buffer)) do
    vim.wo[window][option] = words
    vim.wo[window].winhighlight = is_old and 'Normal:Comment,NormalNC:Comment' or ''
  end
end

local function show(view, answer)
  view.shown = answer
  vim.bo[view.buffer].modifiable = true
  local text = answer.text:gsub('\n$', '')
  vim.api.nvim_buf_set_lines(view.buffer, 0, -1, false, vim.split(text, '\n'))
  vim.bo[view.buffer].modifiable = false
  vim.bo[view.buffer].modified = false
  -- Colours alone: a view in Lane is no source, and is none of the server's.
  vim.bo[view.buffer].syntax = ({ ['lane-ir'] = 'laneir', lane = 'lane', llvm = 'llvm', asm = 'asm' })[answer.languageId] or ''
end

--- What the server answers where the text has changed under the question.
local CONTENT_MODIFIED = -32801

--- Asks for a view; while there is nothing to show, the last good text stays, with a note.
local function refresh(view)
  local client = client_of(view.source)
  if not client then
    view.trouble = 'no language server is attached to the source'
    entitle(view)
    return
  end
  view.asked = view.asked + 1
  local question = view.asked
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(view.source) },
    position = { line = view.line, character = 0 },
    stage = view.stage,
    -- It stays while the cursor is in no kernel.
    kernel = view.shown and view.shown.name,
  }
  request(client, 'lanescope/view', params, function(error, answer)
    if question ~= view.asked or not vim.api.nvim_buf_is_valid(view.buffer) then
      return
    end
    if answer and answer ~= vim.NIL then
      view.trouble = type(answer.note) == 'string' and answer.note or nil
      show(view, answer)
    elseif error and error.code == CONTENT_MODIFIED then
      refresh(view)
      return
    else
      view.trouble = error and error.message or 'there is nothing to show here'
    end
    entitle(view)
  end, view.source)
end

--- The range of the source that the cursor's line of a view shows, if there is one.
local function source_of(view)
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  for _, entry in ipairs(view.shown and view.shown.lines or {}) do
    if entry.line == line and type(entry.range) == 'table' then
      return entry.range
    end
  end
end

--- Puts the cursor at the source of a view's line.
local function go_to_source(view)
  local range = source_of(view)
  if not range then
    vim.notify('lanescope: this line has no source of its own', vim.log.levels.INFO)
    return
  end
  local window = vim.fn.bufwinid(view.source)
  if window ~= -1 then
    vim.api.nvim_set_current_win(window)
  else
    vim.cmd('leftabove vertical sbuffer ' .. view.source)
  end
  local client = client_of(view.source)
  local encoding = client and client.offset_encoding or 'utf-16'
  local location = { uri = vim.uri_from_bufnr(view.source), range = range }
  if vim.lsp.util.show_document then
    vim.lsp.util.show_document(location, encoding, { focus = true })
  else
    vim.lsp.util.jump_to_location(location, encoding)
  end
end

--- Explains the op or instruction under the cursor of a view, in a window over it.
local function explain(view)
  local client = client_of(view.source)
  if not client or not view.shown then
    return
  end
  local column = vim.api.nvim_win_get_cursor(0)[2]
  local line = vim.api.nvim_get_current_line()
  local encoding = client.offset_encoding or 'utf-16'
  local units = encoding == 'utf-8' and column or select(encoding == 'utf-32' and 1 or 2, vim.str_utfindex(line, column))
  local target = type(view.shown.target) == 'string' and view.shown.target or nil
  local params = { languageId = view.shown.languageId, target = target, line = line, character = units }
  request(client, 'lanescope/explainWord', params, function(_, answer)
    if type(answer) == 'table' and vim.api.nvim_buf_is_valid(view.buffer) then
      local text = answer.contents.value
      vim.lsp.util.open_floating_preview(vim.split(text, '\n'), 'markdown', { focus_id = 'lanescope' })
    else
      vim.notify('lanescope: there is nothing to say of this word', vim.log.levels.INFO)
    end
  end, view.source)
end

--- Shows the stage before that of a view (-1), or the next one (1), in its place.
local function show_other(view, step)
  local stages = M.stages()
  for at, name in ipairs(stages) do
    if view.shown and name == view.shown.stage and stages[at + step] then
      view.stage = stages[at + step]
      refresh(view)
      return
    end
  end
end

local function follow(view)
  local group = vim.api.nvim_create_augroup('lanescope_view_' .. view.buffer, {})
  local on = function(events, buffer, callback)
    vim.api.nvim_create_autocmd(events, { group = group, buffer = buffer, callback = callback })
  end
  on({ 'TextChanged', 'TextChangedI' }, view.source, function()
    refresh(view)
  end)
  local last_line
  on({ 'CursorMoved', 'CursorMovedI' }, view.source, function()
    local line = vim.api.nvim_win_get_cursor(0)[1] - 1
    if line == last_line or not view.shown then
      return
    end
    last_line = line
    view.line = line
    local lines = lines_of(view, line)
    light(view.buffer, lines)
    if #lines == 0 then
      refresh(view)
    end
  end)
  on('CursorMoved', view.buffer, function()
    local range = source_of(view)
    local lines = {}
    for line = range and range.start.line or 0, range and range['end'].line or -1 do
      table.insert(lines, line)
    end
    light(view.source, lines)
  end)
  on('BufWinEnter', view.buffer, function()
    entitle(view)
  end)
  on('BufWipeout', view.buffer, function()
    views[view.buffer] = nil
    if vim.api.nvim_buf_is_valid(view.source) then
      vim.api.nvim_buf_clear_namespace(view.source, highlights, 0, -1)
    end
    vim.api.nvim_del_augroup_by_id(group)
  end)
  for _, keys in ipairs { 'gd', '<C-]>', '<CR>' } do
    vim.keymap.set('n', keys, function()
      go_to_source(view)
    end, { buffer = view.buffer, desc = 'Go to the source of this line' })
  end
  vim.keymap.set('n', 'K', function()
    explain(view)
  end, { buffer = view.buffer, desc = 'Explain this op or instruction' })
  for keys, step in pairs { ['[s'] = -1, [']s'] = 1 } do
    vim.keymap.set('n', keys, function()
      show_other(view, step)
    end, { buffer = view.buffer, desc = step < 0 and 'Show the stage before' or 'Show the next stage' })
  end
end

--- The open view of a source at a stage.
local function view_of(source, stage)
  for _, view in pairs(views) do
    if view.source == source and view.stage == stage then
      return view
    end
  end
end

--- Opens an empty view in a window beside the current one, which stays the current one.
local function open(source, stage)
  local window = vim.api.nvim_get_current_win()
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'wipe'
  local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(source), ':t:r')
  pcall(vim.api.nvim_buf_set_name, buffer, ('lanescope://%d/%s.%s'):format(source, name, stage or 'stage'))
  vim.cmd('rightbelow vertical sbuffer ' .. buffer)
  vim.api.nvim_set_current_win(window)
  local view = { source = source, buffer = buffer, stage = stage, asked = 0 }
  views[buffer] = view
  follow(view)
  return view
end

--- Shows the current buffer at a stage, beside it; at the stage that the server is set to, if none is said. A view of the
--- same stage is shown again, and out of a view another one of its source opens.
function M.view(stage)
  local from = views[vim.api.nvim_get_current_buf()]
  local source = from and from.source or vim.api.nvim_get_current_buf()
  if not client_of(source) then
    vim.notify('lanescope: no language server is attached to this buffer', vim.log.levels.WARN)
    return
  end
  local view = view_of(source, stage) or open(source, stage)
  view.line = from and from.line or vim.api.nvim_win_get_cursor(0)[1] - 1
  refresh(view)
  return view
end

--- The line of the header of the item that a line is in, from 1, and its name if it is a kernel: a word in column 0 starts an item.
local function header_of(buffer, line)
  for number = line, 1, -1 do
    local word, name = vim.api.nvim_buf_get_lines(buffer, number - 1, number, false)[1]:match('^(%l+)%s+([%w_]+)')
    if word then
      return number, word == 'kernel' and name or nil
    end
  end
end

--- Has the program do something with the current file, which is written before; what it says opens as a list, whose places lead
--- to the source.
local function run(command, more)
  if vim.bo.filetype ~= 'lane' then
    vim.notify('lanescope: this is no file with kernels', vim.log.levels.WARN)
    return
  end
  vim.cmd('update')
  local arguments = { options.cmd[1], command, vim.api.nvim_buf_get_name(0) }
  vim.list_extend(arguments, more)
  local lines = {}
  local function collect(_, data)
    vim.list_extend(lines, data)
  end
  vim.fn.jobstart(arguments, {
    stdout_buffered = true,
    stderr_buffered = true,
    on_stdout = collect,
    on_stderr = collect,
    on_exit = function()
      local title = table.concat(arguments, ' ')
      vim.fn.setqflist({}, ' ', { title = title, lines = lines, efm = '%f:%l: %m,%-G' })
      local window = vim.api.nvim_get_current_win()
      vim.cmd('botright copen')
      vim.api.nvim_set_current_win(window)
    end,
  })
end

--- Runs the examples in the documentation of the current file.
function M.test()
  run('test', {})
end

--- Measures the kernel under the cursor.
function M.bench()
  local _, kernel = header_of(0, vim.api.nvim_win_get_cursor(0)[1])
  run('bench', kernel and { '--kernel', kernel } or {})
end

--- Shows what a run on the data of a kernel's first example has in its lanes at the cursor's line, again after each write.
function M.values()
  require('lanescope.values').show(options.cmd[1], header_of)
end

--- The names of the stages, as the server of the current buffer lists them.
function M.stages()
  local buffer = vim.api.nvim_get_current_buf()
  local client = client_of(views[buffer] and views[buffer].source or buffer)
  local experimental = client and client.server_capabilities.experimental or {}
  return vim.tbl_map(function(stage)
    return stage.name
  end, experimental.lanescope and experimental.lanescope.stages or {})
end

--- Starts the server for every Lane and ISPC file from now on; `given` goes over the options above.
function M.setup(given)
  options = vim.tbl_deep_extend('force', options, given or {})
  local group = vim.api.nvim_create_augroup('lanescope', {})
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    pattern = { 'lane', 'ispc' },
    callback = function(event)
      start(event.buf)
    end,
  })
  -- Older versions know no such file; they colour it as C.
  vim.api.nvim_create_autocmd({ 'BufRead', 'BufNewFile' }, {
    group = group,
    pattern = { '*.ispc', '*.isph', '*.ih' },
    callback = function(event)
      vim.bo[event.buf].filetype = 'ispc'
      if vim.bo[event.buf].syntax == '' or #vim.api.nvim_get_runtime_file('syntax/ispc.*', false) == 0 then
        vim.bo[event.buf].syntax = 'c'
      end
    end,
  })
  -- Whoever loads this late, as plug-in managers do, has such files open already.
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and vim.tbl_contains({ 'lane', 'ispc' }, vim.bo[buffer].filetype) then
      start(buffer)
    end
  end
  -- What varies is italic, unless a colour scheme knows better. A new scheme clears what was there.
  local function colour()
    for _, filetype in ipairs { 'lane', 'ispc' } do
      vim.api.nvim_set_hl(0, '@lsp.mod.varying.' .. filetype, { italic = true, default = true })
    end
  end
  if vim.lsp.semantic_tokens then
    vim.api.nvim_create_autocmd('ColorScheme', { group = group, callback = colour })
    colour()
  end
  -- What the server's own actions and lenses ask for: here the view opens in the way of this module.
  vim.lsp.commands['lanescope.view'] = function(command)
    local wanted = command.arguments[1]
    vim.api.nvim_set_current_buf(vim.uri_to_bufnr(wanted.textDocument.uri))
    -- The cursor goes to another kernel only, as by a lens: an action is about where it is already.
    if vim.api.nvim_win_get_cursor(0)[1] ~= wanted.position.line + 1 then
      vim.api.nvim_win_set_cursor(0, { wanted.position.line + 1, 0 })
    end
    M.view(wanted.stage)
  end
  vim.api.nvim_create_user_command('LaneView', function(command)
    M.view(command.args ~= '' and command.args or nil)
  end, {
    nargs = '?',
    desc = 'Show the kernel at a stage, beside its source',
    complete = function(typed)
      return vim.tbl_filter(function(name)
        return vim.startswith(name, typed)
      end, M.stages())
    end,
  })
  local function command(name, run_it, desc)
    vim.api.nvim_create_user_command(name, run_it, { desc = desc })
  end
  vim.api.nvim_create_user_command('LaneValues', function(given)
    if given.bang then
      require('lanescope.values').hide(vim.api.nvim_get_current_buf())
    else
      M.values()
    end
  end, { bang = true, desc = 'Show the values of lanes at this line, or hide them' })
  command('LaneTest', M.test, 'Run the examples in the documentation of kernels')
  command('LaneBench', M.bench, 'Measure the kernel under the cursor')
end

return M
