import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect } from 'vitest'
import { createGroup } from '../../support/resources.ts'
import { adminPassword, startTestServer, type TestServer } from '../../support/server.ts'
import { geojson, point } from '../../support/vector.ts'
import { type Ran, runCommand, type Surroundings } from '../terminal.ts'

/** Runs another program, quietly. */
export const execute = promisify(execFile)

const towns = [
  { geometry: point(10.75, 59.875), properties: { name: 'Oslo', people: 709_000, since: '1048-01-01' } },
  { geometry: point(16.375, 48.25), properties: { name: 'Wien', people: 2_000_000, since: null } },
  { geometry: point(19.5, 51.75), properties: { name: 'Łódź', people: 650_000, since: '1423-07-29' } },
]

/** A server with groups, a folder with files, and the commands between them. */
export interface DataGround {
  /** The folder that commands run in. */
  readonly cwd: string
  readonly server: TestServer
  /** Runs `landform data …`, words between blanks. */
  run(words: string | readonly string[], more?: Partial<Surroundings>): Promise<Ran>
  write(name: string, content: string | Uint8Array): Promise<void>
}

/** Gives a test file its ground, made before its first test and gone after its last. */
export function useDataGround(): () => DataGround {
  let ground: DataGround
  beforeAll(async () => {
    const [server, cwd] = await Promise.all([
      startTestServer('postgres'),
      mkdtemp(join(tmpdir(), 'landform-data-')),
    ])
    ground = {
      cwd,
      server,
      run: (words, more) => runData({ cwd, server }, words, more),
      write: (name, content) => writeFile(join(cwd, name), content),
    }
    await fill(ground)
  })
  afterAll(async () => {
    await ground.server.stop()
    await rm(ground.cwd, { recursive: true, force: true })
  })
  return () => ground
}

async function fill({ server, cwd, write }: DataGround): Promise<void> {
  const city = await createGroup(server.admin, 0, { display_name: 'City', keyname: 'city' })
  await createGroup(server.admin, 0, { display_name: 'Many', keyname: 'many' })
  await createGroup(server.admin, city, { display_name: 'In/Out' })
  await write('towns.geojson', geojson(towns))
  await write('bad.geojson', geojson([...towns, { geometry: null }, { geometry: null }]))
  await write('other.geojson', geojson([{ geometry: point(1, 2), properties: { name: 'Bergen', lanes: 2 } }]))
  const loose = ['-f', 'ESRI Shapefile', 'roads.shp', 'towns.geojson', '-lco', 'ENCODING=UTF-8']
  await execute('ogr2ogr', loose, { cwd })
}

function runData(
  { cwd, server }: Pick<DataGround, 'cwd' | 'server'>,
  words: string | readonly string[],
  more: Partial<Surroundings> = {},
): Promise<Ran> {
  const env = {
    LANDFORM_SERVER: server.url,
    LANDFORM_PASSWORD: adminPassword,
    XDG_CACHE_HOME: join(cwd, 'cache'),
    ...more.env,
  }
  return runCommand(['data', ...(typeof words === 'string' ? words.split(' ') : words)], {
    cwd,
    ...more,
    env,
  })
}

/** Lines of what a command wrote. */
export const lines = (out: string): string[] => out.trimEnd().split('\n')

/** Events of what a command wrote. */
export const events = (out: string): Record<string, unknown>[] =>
  lines(out).map((line) => JSON.parse(line) as Record<string, unknown>)

/** Matches a failure by its code and texts, in order. */
export const told = (code: string, ...texts: readonly string[]): string =>
  expect.stringMatching(
    new RegExp(
      [`error ${code}: `, ...texts].map((text) => text.replaceAll(/[.+()|?]/g, '\\$&')).join('[^]*'),
    ),
  ) as string
