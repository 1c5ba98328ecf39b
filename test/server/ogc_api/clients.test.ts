import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { oneDriver } from '../../support/drivers.ts'
import { adminPassword, startTestServer } from '../../support/server.ts'
import { publishTowns } from '../../support/wfs.ts'

const run = promisify(execFile)

test.each(oneDriver)('GDAL reads features and vector tiles of OGC API on %s', async (driver) => {
  const server = await startTestServer(driver)
  const { service } = await publishTowns(server.admin, 'Towns')
  const env = { ...process.env, GDAL_HTTP_USERPWD: `administrator:${adminPassword}` }
  const url = `${server.url}/api/resource/${service}/ogcapi`
  const read = async (...words: string[]) => (await run('ogrinfo', words, { env })).stdout
  const all = await read('-al', `OAPIF:${url}`)
  expect(all).toContain('Layer name: towns')
  expect(all).toMatch(/POINT \(10\.75 59\.91\)/)
  expect(all).toContain('Feature Count: 4')
  // GDAL sends the condition as CQL2 text, and the box as a parameter.
  const some = await read('-al', '-where', "name = 'Wien'", `OAPIF:${url}`)
  expect(some).toContain('Feature Count: 1')
  const near = await read('-al', '-spat', '10', '59', '11', '60', `OAPIF:${url}`)
  expect(near).toContain('name (String) = Oslo')
  await server.stop()
})
