#!/usr/bin/env node
import { fstatSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { serveProvider } from '../provider/serve_provider.ts'
import { programVersion } from './version.ts'

// A refresh of thousands of resources makes much garbage that outlives its requests by a moment. With its heap growing by 30 %
// at a time, the provider needs a third less memory, for few more collections.
setFlagsFromString('--heap-growing-percent=30')

// The engine passes its address as argument, reads the port from the first line of the output, and ends the provider with a
// signal.
const place = { version: programVersion(), env: process.env, folder: process.cwd() }
const { port } = await serveProvider(place, process.argv[2])
process.stdout.write(`${port}\n`)

// The engine holds the pipe of the standard input open as long as it lives. One that was killed sends no signal, and its provider
// would stay for ever.
const input = fstatSync(process.stdin.fd)
if (input.isFIFO() || input.isSocket()) process.stdin.resume().once('close', () => process.exit())
