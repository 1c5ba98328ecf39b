#!/usr/bin/env node
import { enableCompileCache } from 'node:module'

// Half of the time of a short command is the loading of code; the second time it is read from the cache.
enableCompileCache()
const { commands } = await import('./commands/table.ts')
const { runProgram } = await import('./program.ts')
const { openTerminal } = await import('./terminal.ts')

process.exitCode = await runProgram(commands, process.argv.slice(2), openTerminal())
