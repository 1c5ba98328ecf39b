import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readVector } from '../../src/gdal/read_vector.ts'
import { endIdleChildren } from '../../src/gdal/runner/gdal_child.ts'
import type { VectorJob } from '../../src/gdal/runner/vector_job.ts'
import { onlyNew } from '../support/only_new.ts'
import { discardRows, findGdalChildren, plainRules } from '../support/vector.ts'

let folder: string
let job: VectorJob

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'landform-vector-'))
  const rows = Array.from({ length: 80_000 }, (_, index) => `${index},1,2,${'x'.repeat(60)}`)
  const path = join(folder, 'places')
  writeFileSync(path, `nr,lon,lat,text\n${rows.join('\n')}\n`)
  const wishes = {
    encoding: undefined,
    layer: undefined,
    wanted: undefined,
    srs: 3857,
    unpackLimitBytes: 1 << 30,
    pieceBytes: 1 << 20,
  }
  job = { ...plainRules, ...wishes, path, name: 'places.csv', folder }
})

const findNewChildren = onlyNew(findGdalChildren)

// Every reading with GDAL ends its child process, even if it fails.
afterEach(async () => {
  rmSync(folder, { recursive: true })
  expect(await findNewChildren()).toEqual([])
})

/** Gives each reading its own folder. */
function jobIn(name: string): VectorJob {
  const own = join(folder, name)
  mkdirSync(own)
  return { ...job, folder: own }
}

test('the child process of GeoJSON takes the next job, unless it is a failure or requires GDAL', async () => {
  const load = async (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    const source = { ...jobIn(`${name}.d`), path: join(folder, name), name }
    return readVector(source, discardRows)
  }
  const point = '{"type":"Point","coordinates":[7,50]}'
  expect(await load('a.geojson', point)).toMatchObject({ rowCount: 1 })
  const first = findGdalChildren()
  expect(first).toHaveLength(1)
  expect(
    await load('b.geojson', `{"type":"Feature","properties":{"a":1},"geometry":${point}}`),
  ).toMatchObject({
    rowCount: 1,
    filledFields: ['a'],
  })
  expect(findGdalChildren()).toEqual(first)
  expect(await load('c.csv', 'lon,lat\n7,50\n')).toMatchObject({ rowCount: 1 })
  expect(findGdalChildren()).toEqual([])
  await load('d.geojson', point)
  await expect(load('e.geojson', '{"type":"Point"')).rejects.toMatchObject({ code: 'source/unreadable' })
  expect(findGdalChildren()).toEqual([])
  await load('f.geojson', point)
  await endIdleChildren()
})

describe('reading fails if its child process', () => {
  test('is killed while it sends rows', async () => {
    const reading = readVector(job, async ({ copies }) => {
      for await (const copy of copies) {
        for (const pid of findGdalChildren()) process.kill(pid, 'SIGKILL')
        for await (const _ of copy);
      }
    })
    await expect(reading).rejects.toMatchObject({ code: 'gdal/failed' })
  })

  test('crashes, with the reason', async () => {
    const reading = readVector(job, async ({ copies }) => {
      for (const pid of findGdalChildren()) process.kill(pid, 'SIGSEGV')
      for await (const copy of copies) for await (const _ of copy);
    })
    await expect(reading).rejects.toMatchObject({
      code: 'gdal/failed',
      message: expect.stringContaining('SIGSEGV'),
    })
  })

  test('makes no progress', async () => {
    await expect(readVector(job, async () => undefined, { stallTimeoutMs: 1 })).rejects.toMatchObject({
      code: 'gdal/failed',
      message: expect.stringContaining('no progress'),
    })
  })
})

test('reading ends on abort, with the reason of the signal', async () => {
  const stopper = new AbortController()
  const reading = readVector(
    job,
    async ({ copies }) => {
      stopper.abort(new Error('enough'))
      for await (const copy of copies) for await (const _ of copy);
    },
    { signal: stopper.signal },
  )
  await expect(reading).rejects.toThrow('enough')
})

test('reading does not start if the signal is already aborted', async () => {
  const signal = AbortSignal.abort(new Error('too late'))
  await expect(readVector(job, async () => undefined, { signal })).rejects.toThrow('too late')
})

test('reading returns the summary, or rejects with the error of the consumer of rows', async () => {
  const found = await readVector(jobIn('a'), discardRows)
  expect(found.rowCount).toBe(80_000)
  const reading = readVector(jobIn('b'), async () => {
    throw new Error('the database is down')
  })
  await expect(reading).rejects.toThrow('the database is down')
})

test('at most two child processes run at once', async () => {
  const counts: number[] = []
  await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) =>
      readVector(jobIn(name), async (rows) => {
        counts.push(findGdalChildren().length)
        await discardRows(rows)
      }),
    ),
  )
  expect(counts).toHaveLength(4)
  expect(Math.max(...counts)).toBeLessThanOrEqual(2)
})

test('without gdal-async, the error hint says what to install', () => {
  // The product in a folder from which its optional dependency cannot be found.
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const place = join(folder, 'product')
  cpSync(join(root, 'src'), join(place, 'src'), { recursive: true })
  mkdirSync(join(place, 'node_modules'))
  for (const name of ['p-queue', 'typebox']) {
    symlinkSync(join(root, 'node_modules', name), join(place, 'node_modules', name))
  }
  writeFileSync(join(place, 'package.json'), '{"type":"module"}')
  const script = `
    import { readVector } from './src/gdal/read_vector.ts'
    await readVector({}, async () => undefined).catch(({ code, hint }) => console.log(code, hint))`
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { cwd: place })
  expect(output.toString()).toBe(
    'gdal/missing Install the optional dependency gdal-async: npm install gdal-async.\n',
  )
})

test('a full disk is reported', () => {
  // A small disk in its own mount namespace, which ordinary users may create.
  const small = join(folder, 'small')
  mkdirSync(small)
  const entry = fileURLToPath(new URL('../../src/gdal/read_vector.ts', import.meta.url))
  const script = `
    const { readVector } = await import(${JSON.stringify(entry)})
    const job = ${JSON.stringify({ ...job, folder: small })}
    await readVector(job, async () => undefined).catch(({ code, message }) => console.log(code, message))`
  const mount = 'mount -t tmpfs -o size=2m small "$1" && exec "$2" --input-type=module --eval "$3"'
  const output = execFileSync('unshare', [
    ...['--mount', '--map-root-user', 'sh', '-c', mount, 'sh'],
    ...[small, process.execPath, script],
  ])
  expect(output.toString()).toBe('files/full the disk is full while a source is read\n')
})
