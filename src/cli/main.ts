#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'

const words = process.argv.slice(2)
const runsLong = words[0] === 'serve' || words[0] === 'start'

// A short command allocates much and keeps little. A young generation that grows at once, while code is loaded, to
// 16 MiB, and then no more, is collected in a third of the time of the small one it starts with and in three quarters of
// the memory of the one V8 ends with. And it is over before the slowest compiler has paid for itself. What runs long is
// left to V8.
if (!runsLong) setFlags('--semi-space-growth-factor=16', '--no-opt')

// Half of the time of a short command is the loading of code; the second time it is read from the cache.
enableCompileCache()
const { loadCommands } = await import('./commands/table.ts')
const { runProgram } = await import('./program.ts')
const { openTerminal } = await import('./terminal.ts')

const commands = await loadCommands(words)
if (!runsLong) setFlags('--semi-space-growth-factor=1')
process.exitCode = await runProgram(commands, words, openTerminal())

function setFlags(...flags: readonly string[]): void {
  for (const flag of flags) setFlagsFromString(flag)
}
