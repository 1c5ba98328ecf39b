import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFamily, type Family } from '../../support/samples.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

let server: TestServer
let family: Family
beforeAll(async () => {
  server = await startTestServer('postgres')
  family = await createFamily(server.admin)
})
afterAll(() => server.stop())

const statusOf = async (path: string) => (await server.admin('GET', path)).status

describe('Versioning', () => {
  test('1. GET /api/component/core/pkg_version returns the version of each installed component.', async () => {
    const answer = await server.guest('GET', '/api/component/core/pkg_version')
    const versions = Object.values(await answer.json<Record<string, string>>())
    expect(versions.length).toBeGreaterThan(0)
    for (const version of versions) expect(version).toMatch(/^\d+\.\d+\.\d+/)
  })

  test('2. The version is at least that of everything the document offers: 3.1', async () => {
    const answer = await server.guest('GET', '/api/component/core/pkg_version')
    const { nextgisweb = '' } = await answer.json<Record<string, string>>()
    const [major = 0, minor = 0] = nextgisweb.split('.').map(Number)
    expect(major > 3 || (major === 3 && minor >= 1)).toBe(true)
  })

  test.each([
    ['version request: from 3.0', () => '/api/component/core/pkg_version'],
    ['route list: from 3.0', () => '/api/component/core/route'],
    ['schema: from 3.0', () => '/resource/schema'],
    ['vector tile request: from 3.0.4', () => tile(family.layer)],
    ['feature list filters: from 3.1', () => `/api/resource/${family.layer}/feature/?id__gt=0`],
  ])('2. Availability by version: %s', async (_, path) => {
    expect([200, 204]).toContain(await statusOf(path()))
  })
})

const tile = (layer: number) => `/api/component/feature_layer/mvt?x=0&y=0&z=0&resource=${layer}`
