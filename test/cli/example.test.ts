import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { drivers } from '../support/drivers.ts'
import { fixtures } from '../support/fixtures.ts'
import { administratorEnv, startTestServer } from '../support/server.ts'
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
