import { expect, test } from 'vitest'
import { startTestServer } from '../support/server.ts'
import { runCommand } from './terminal.ts'

const surroundings = { cwd: '.' }

test('the printed OpenAPI document equals that of a server', async () => {
  const { exit, out } = await runCommand(['schema', 'openapi'], surroundings)
  expect(exit).toBe(0)
  const printed = JSON.parse(out)
  expect(printed.openapi).toMatch(/^3\.1\./)
  const server = await startTestServer('postgres')
  const served = await (await server.guest('GET', '/openapi.json')).json<typeof printed>()
  await server.stop()
  expect(Object.keys(served.paths).length).toBeGreaterThan(50)
  expect(printed.paths).toMatchObject(served.paths)
  expect(printed.components.schemas).toMatchObject(served.components.schemas)
})

test.each(['manifest', 'pipeline', 'plan'])('the schema of a %s is printed as JSON Schema', async (kind) => {
  const { exit, out } = await runCommand(['schema', kind], surroundings)
  expect([exit, JSON.parse(out)]).toMatchObject([0, { $schema: expect.stringContaining('json-schema.org') }])
})

test('an unknown schema is refused with the names of the schemas', async () => {
  const { exit, out, err } = await runCommand(['schema', 'opnapi'], surroundings)
  expect([exit, out]).toEqual([3, ''])
  expect(err).toContain('Unknown schema "opnapi".')
  expect(err).toContain('openapi')
})
