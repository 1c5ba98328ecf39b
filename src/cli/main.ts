#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'

const words = process.argv.slice(2)
const runsLong = words[0] === 'serve' || words[0] === 'start'

// A short command allocates much and keeps little: a young generation that stays small takes half the memory, and
// collecting it on one thread leaves the other cores to the server. What runs long is left to V8.
if (!runsLong)
  for (const flag of ['--semi-space-growth-factor=1', '--single-threaded-gc']) setFlagsFromString(flag)

// Half of the time of a short command is the loading of code; the second time it is read from the cache.
enableCompileCache()
const { loadCommands } = await import('./commands/table.ts')
const { runProgram } = await import('./program.ts')
const { openTerminal } = await import('./terminal.ts')

process.exitCode = await runProgram(await loadCommands(words), words, openTerminal())
