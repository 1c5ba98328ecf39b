#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { prepareCommandMemory, prepareServerMemory } from './heap_sizes.ts'

const words = process.argv.slice(2)
const runsLong = words[0] === 'serve' || words[0] === 'start'

if (runsLong) prepareServerMemory()
else prepareCommandMemory()
// A short command ends before the optimizing compiler pays off. It keeps most of its objects: marking them in many steps costs
// more than all at once, and keeps the memory of what dies between the steps. Threads that collect young objects together wait
// for each other more than they save.
const shortFlags = ['--no-opt', '--no-incremental-marking', '--no-parallel-scavenge']
if (!runsLong) for (const flag of shortFlags) setFlagsFromString(flag)

// Loading code takes half of the time of a short command; the compile cache avoids it from the second run on.
enableCompileCache()
const { openTerminal } = await import('./terminal.ts')

// Scripts of `landform completion` request completions of the words behind "--".
if (words[0] === 'complete' && words[1] === '--') {
  const { completeWords } = await import('./complete.ts')
  await completeWords(words.slice(2), openTerminal())
} else {
  const { loadCommands } = await import('./commands/table.ts')
  const { runProgram } = await import('./program.ts')
  const commands = await loadCommands(words)
  process.exitCode = await runProgram(commands, words, openTerminal())
}
