#!/usr/bin/env node
import { serveProvider } from '../provider/serve_provider.ts'
import { programVersion } from './version.ts'

// The engine passes its address as argument, reads the port from the first line of the output, and ends the provider with a
// signal.
const place = { version: programVersion(), env: process.env, folder: process.cwd() }
const { port } = await serveProvider(place, process.argv[2])
process.stdout.write(`${port}\n`)
