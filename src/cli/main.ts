#!/usr/bin/env node
import { commands } from './commands/table.ts'
import { runProgram } from './program.ts'
import { openTerminal } from './terminal.ts'

process.exitCode = await runProgram(commands, process.argv.slice(2), openTerminal())
