#!/usr/bin/env node
import { serveProvider } from '../provider/serve_provider.ts'
import { programVersion } from './version.ts'

// The engine reads the port from the first line of the output, and ends the provider with a signal.
const { port } = await serveProvider({ version: programVersion(), env: process.env, folder: process.cwd() })
process.stdout.write(`${port}\n`)
