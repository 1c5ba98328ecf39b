import { readFileSync } from 'node:fs'
import PQueue from 'p-queue'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { drivers } from '../support/drivers.ts'
import { fixtures } from '../support/fixtures.ts'
import { administratorEnv, startTestServer, type TestServer } from '../support/server.ts'
import { runCommand } from './terminal.ts'

const root = fixtures.replace(/test\/fixtures$/, '')

/** Keys of the geoservices that the server of the example itself answers. */
const ownServices = Object.keys(
  (
    parse(readFileSync(`${root}manifests/catalog/landform.yaml`, 'utf8')) as {
      geoservices: Readonly<Record<string, unknown>>
    }
  ).geoservices,
)

test.each(drivers)(
  'the services of the example work on %s, at the ids that its catalog names',
  async (driver) => {
    const server = await startTestServer(driver)
    const env = administratorEnv(server.url)
    const run = (...words: string[]) => runCommand(words, { cwd: root, env })
    for (const path of ['manifests/world.yaml', 'manifests/catalog'])
      expect(await run('apply', path, '--yes')).toMatchObject({ exit: 0 })
    expect(await run('plan', 'manifests')).toMatchObject({
      exit: 0,
      out: expect.stringContaining('0 changes'),
    })
    const checked = await run('catalog', 'check', ...ownServices)
    expect(checked).toMatchObject({
      out: '',
      err: `${ownServices.length} working, 0 problematic, 0 failed\n`,
      exit: 0,
    })
    await server.stop()
  },
)

/** Addresses of all tiles of zoom levels 0 to 4. */
const tiles = [0, 1, 2, 3, 4].flatMap((z) =>
  Array.from({ length: 4 ** z }, (_, at) => `z=${z}&x=${at % 2 ** z}&y=${Math.floor(at / 2 ** z)}`),
)

test.each(drivers)('every tile of the map of the example is drawn on %s', async (driver) => {
  const server = await startTestServer(driver)
  const env = administratorEnv(server.url)
  const applied = await runCommand(['apply', 'manifests/world.yaml', '--yes'], { cwd: root, env })
  expect(applied).toMatchObject({ exit: 0 })
  const styles = await idsOf(server, ['countries_style', 'cities_style'])
  const queue = new PQueue({ concurrency: 4 })
  const statuses = tiles.map((tile) =>
    queue.add(async () => {
      const { status } = await server.admin(
        'GET',
        `/api/component/render/tile?${tile}&resource=${styles.join()}`,
      )
      return status === 200 ? undefined : `${tile}: ${status}`
    }),
  )
  expect((await Promise.all(statuses)).filter((one) => one !== undefined)).toEqual([])
  await server.stop()
})

async function idsOf({ admin }: TestServer, keys: readonly string[]): Promise<number[]> {
  const found = keys.map(async (key) => {
    const answer = await admin('GET', `/api/resource/search/?keyname=${key}`)
    return (await answer.json<{ resource: { id: number } }[]>()).map(({ resource }) => resource.id)
  })
  return (await Promise.all(found)).flat()
}
