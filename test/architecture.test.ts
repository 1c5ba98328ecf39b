import { describe, expect, test } from 'vitest'
import { checkDoors } from './support/source/doors.ts'
import { checkLayers } from './support/source/layers.ts'
import { parseSource } from './support/source/source.ts'
import { readSources } from './support/source/tracked.ts'

const product = readSources().filter(({ path }) => path.startsWith('src/') && path.endsWith('.ts'))

test('the sources of the product are found', () => {
  expect(product.map(({ path }) => path)).toContain('src/core/problem.ts')
})

test('every import leads to a lower row of the layers', () => {
  expect(product.flatMap(checkLayers)).toEqual([])
})

test('every external package is imported only by its folder', () => {
  expect(product.flatMap(checkDoors)).toEqual([])
})

describe('checkLayers', () => {
  const check = (path: string, code: string) => checkLayers(parseSource(path, code))

  test.each([
    ['its own row', 'src/reconcile/plan.ts', "import { run } from '../pipeline/run.ts'"],
    ['above it', 'src/core/span.ts', "import { plan } from '../reconcile/plan.ts'"],
    ['the other side of the bar', 'src/server/app.ts', "import { load } from '../manifest/load.ts'"],
    ['the other side of the bar', 'src/reconcile/plan.ts', "import { Tree } from '../store/tree.ts'"],
    ['must not load', 'src/web/map.ts', "import { Problem } from '../core/problem.ts'"],
    ['not in the table', 'src/cli/main.ts', "import { map } from '../web/map.ts'"],
    ['not in the table', 'src/cli/main.ts', "import { a } from '../shared/a.ts'"],
    ['not in the table', 'src/shared/a.ts', ''],
    ['outside src', 'src/cli/main.ts', "import { a } from '../../test/a.ts'"],
    ['above it', 'src/core/span.ts', "import type { Plan } from '../reconcile/plan.ts'"],
    ['above it', 'src/core/span.ts', "export { plan } from '../reconcile/plan.ts'"],
    ['above it', 'src/core/span.ts', "export * from '../reconcile/plan.ts'"],
    ['above it', 'src/core/span.ts', "const plan = await import('../reconcile/plan.ts')"],
    ['above it', 'src/core/span.ts', "type Plan = import('../reconcile/plan.ts').Plan"],
    ['above it', 'src/core/span.ts', "const plan = require('../reconcile/plan.ts')"],
    ['computed', 'src/core/span.ts', 'const plan = await import(name)'],
  ])('refuses %s: %s %s', (reason, path, code) => {
    expect(check(path, code)).toEqual([expect.stringContaining(reason)])
  })

  test.each([
    ['src/reconcile/plan.ts', "import { order } from './order.ts'"],
    ['src/reconcile/plan.ts', "import { load } from '../manifest/load.ts'"],
    ['src/server/routes/tree.ts', "import { tree } from '../../store/tree.ts'"],
    ['src/cli/main.ts', "import { serve } from '../server/app.ts'"],
    ['src/store/tree.ts', "import { bbox } from '../geo/bbox.ts'"],
    ['src/web/map.ts', "import { bbox } from '../geo/bbox.ts'"],
    ['src/core/log.ts', "import pino from 'pino'"],
    ['src/index.ts', "export { plan } from './reconcile/plan.ts'"],
  ])('accepts %s %s', (path, code) => {
    expect(check(path, code)).toEqual([])
  })

  test('reports the line', () => {
    expect(check('src/core/span.ts', "\n\nimport '../api/call.ts'")).toEqual([
      'src/core/span.ts:3 imports src/api/call.ts, which is above it',
    ])
  })
})

describe('checkDoors', () => {
  const check = (path: string, code: string) => checkDoors(parseSource(path, code))

  test.each([
    ['only database', 'src/store/tree.ts', "import { Client } from 'pg'"],
    ['only database', 'src/store/tree.ts', "import Cursor from 'pg-cursor'"],
    ['only database', 'src/server/app.ts', "import { PGlite } from '@electric-sql/pglite/worker'"],
    ['only http', 'src/api/call.ts', "import { request } from 'undici'"],
    ['only gdal', 'src/import/read.ts', "const gdal = await import('gdal-async')"],
    ['only server', 'src/http/client.ts', "import type { FastifyInstance } from 'fastify'"],
    ['only provider, pulumi', 'src/cli/main.ts', "import { Output } from '@pulumi/pulumi'"],
    ['only cli, gdal', 'src/server/app.ts', "import { spawn } from 'node:child_process'"],
    ['pure', 'src/geo/bbox.ts', "import { readFileSync } from 'node:fs'"],
    ['pure', 'src/access/rules.ts', "import { readFile } from 'node:fs/promises'"],
    ['written as node:', 'src/files/disk_blobs.ts', "import { readFile } from 'fs/promises'"],
    ['fetch', 'src/api/call.ts', "const reply = await fetch('/resource')"],
    ['process', 'src/server/config.ts', 'const port = process.env.PORT'],
    ['process', 'src/server/config.ts', "import { env } from 'node:process'"],
  ])('refuses %s: %s %s', (reason, path, code) => {
    expect(check(path, code)).toEqual([expect.stringContaining(reason)])
  })

  test.each([
    ['src/database/postgres.ts', "import { Client } from 'pg'"],
    ['src/http/client.ts', "import { request } from 'undici'"],
    ['src/geo/bbox.ts', "import { join } from 'node:path'"],
    ['src/files/disk_blobs.ts', "import { readFile } from 'node:fs/promises'"],
    ['src/web/map.ts', "const reply = await fetch('/resource')"],
    ['src/cli/main.ts', 'const wide = process.stdout.columns'],
    ['src/gdal/child.ts', 'process.send(1)'],
    ['src/render/draw.worker.ts', 'process.exitCode = 1'],
    ['src/document/parse_yaml.ts', 'const text = document.process.name'],
  ])('accepts %s %s', (path, code) => {
    expect(check(path, code)).toEqual([])
  })
})
