--- The values of lanes, beside the lines of a kernel: those that a run has when it comes to a line, on the data of the kernel's
--- first example.
---
--- `lanescope dap` runs it, in one *session* for each question: to a breakpoint at the line, what there is, and the end.

local M = {}

local namespace = vim.api.nvim_create_namespace('lanescope_values')

--- Where the values of a buffer are of: its mark, and what was asked last.
local places = {}

--- Starts a debug adapter. `heard` is called with each event, and with each answer that no one waits for. Gives a function that
--- sends a request, and one that ends it all.
local function connect(command, heard)
  local waiting, n_sent, received = {}, 0, ''
  local function hear(message)
    local answered = message.type == 'response' and waiting[message.request_seq]
    if answered and message.success then
      answered(message.body)
    else
      heard(message)
    end
  end
  local job = vim.fn.jobstart(command, {
    on_stdout = function(_, data)
      received = received .. table.concat(data, '\n')
      while true do
        local _, head, length = received:find('Content%-Length: (%d+)\r\n\r\n')
        local last = head and head + tonumber(length)
        if not last or #received < last then
          return
        end
        local body = received:sub(head + 1, last)
        received = received:sub(last + 1)
        hear(vim.json.decode(body))
      end
    end,
  })
  local function send(request, arguments, answered)
    n_sent = n_sent + 1
    waiting[n_sent] = answered
    local body = vim.json.encode { seq = n_sent, type = 'request', command = request, arguments = arguments }
    vim.fn.chansend(job, ('Content-Length: %d\r\n\r\n%s'):format(#body, body))
  end
  return send, function()
    vim.fn.jobstop(job)
  end
end

--- Runs a kernel of a file to a line, from 1; `answered` is called with the values by names, or with nil and the reason.
local function values_at(program, file, kernel, line, answered)
  local send, stop
  local is_done = false
  -- What was said before the end is still heard behind it.
  local function done(values, why)
    if not is_done then
      is_done = true
      stop()
      answered(values, why)
    end
  end
  local function collect(scopes, values)
    local scope = table.remove(scopes, 1)
    if not scope then
      return done(values)
    end
    send('variables', { variablesReference = scope.variablesReference }, function(body)
      for _, variable in ipairs(body.variables) do
        values[variable.name] = variable.value
      end
      collect(scopes, values)
    end)
  end
  local on = {
    initialized = function()
      send('setBreakpoints', { source = { path = file }, breakpoints = { { line = line } } })
      send('configurationDone', vim.empty_dict())
    end,
    stopped = function(event)
      if event.reason ~= 'breakpoint' then
        return done(nil, event.text or event.description or event.reason)
      end
      send('stackTrace', { threadId = event.threadId }, function(stack)
        send('scopes', { frameId = stack.stackFrames[1].id }, function(body)
          -- The last scope has the same values, lane by lane.
          collect({ body.scopes[1], body.scopes[2] }, {})
        end)
      end)
    end,
    terminated = function()
      done(nil, 'a run on the data of the first example does not come to this line')
    end,
  }
  send, stop = connect({ program, 'dap' }, function(message)
    if message.success == false then
      done(nil, message.message)
    elseif on[message.event] then
      on[message.event](message.body)
    end
  end)
  send('initialize', { adapterID = 'lanescope', linesStartAt1 = true, columnsStartAt1 = true })
  send('launch', { program = file, kernel = kernel })
end

--- Shows values beside the lines from the header of a kernel to a line, both from 1: on each those of its names.
local function show(buffer, first, last, values)
  for number = first, last do
    local code = vim.api.nvim_buf_get_lines(buffer, number - 1, number, false)[1]:gsub('#.*', '')
    local parts, seen = {}, {}
    for name in code:gmatch('[%a_][%w_]*') do
      if values[name] and not seen[name] then
        seen[name] = true
        table.insert(parts, ('%s = %s'):format(name, values[name]))
      end
    end
    if #parts > 0 then
      local virt_text = { { ' ' .. table.concat(parts, ', '), 'Comment' } }
      vim.api.nvim_buf_set_extmark(buffer, namespace, number - 1, 0, { virt_text = virt_text })
    end
  end
end

--- Shows the values at a buffer's mark, on the file as it was written last. `header` finds the header of the kernel at a line, and
--- its name.
local function refresh(buffer, program, header)
  local place = places[buffer]
  local line = vim.api.nvim_buf_get_extmark_by_id(buffer, namespace, place.mark, {})[1] + 1
  local first, kernel = header(buffer, line)
  if not kernel then
    vim.notify('lanescope: values are those of a kernel; put the cursor into one', vim.log.levels.INFO)
    return
  end
  place.asked = place.asked + 1
  local question = place.asked
  values_at(program, vim.api.nvim_buf_get_name(buffer), kernel, line, function(values, why)
    if places[buffer] ~= place or question ~= place.asked then
      return
    end
    vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
    place.mark = vim.api.nvim_buf_set_extmark(buffer, namespace, line - 1, 0, {})
    if values then
      show(buffer, first, line, values)
    else
      vim.notify('lanescope: ' .. why, vim.log.levels.INFO)
    end
  end)
end

--- Takes the values of a buffer away.
function M.hide(buffer)
  places[buffer] = nil
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  vim.api.nvim_create_augroup('lanescope_values_' .. buffer, {})
end

--- Shows the values of the current buffer at the cursor's line, and again whenever it is written.
function M.show(program, header)
  local buffer = vim.api.nvim_get_current_buf()
  M.hide(buffer)
  vim.cmd('update')
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  places[buffer] = { mark = vim.api.nvim_buf_set_extmark(buffer, namespace, line, 0, {}), asked = 0 }
  vim.api.nvim_create_autocmd('BufWritePost', {
    group = vim.api.nvim_create_augroup('lanescope_values_' .. buffer, {}),
    buffer = buffer,
    callback = function()
      refresh(buffer, program, header)
    end,
  })
  refresh(buffer, program, header)
end

return M
