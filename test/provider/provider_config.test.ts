import { expect, test } from 'vitest'
import { unwrapProperties } from '../../src/provider/property_values.ts'
import { readConfig } from '../../src/provider/provider_config.ts'

const server = 'https://maps.example.org'

test('settings that are absent come from the environment', () => {
  const env = { LANDFORM_SERVER: server, LANDFORM_TOKEN: 'abc' }
  expect(readConfig(unwrapProperties({}), env)).toMatchObject({ server, credentials: { token: 'abc' } })
  const given = unwrapProperties({ server: 'http://other', user: 'anna', password: 'secret' })
  expect(readConfig(given, env)).toMatchObject({
    server: 'http://other',
    credentials: { login: 'anna', password: 'secret' },
  })
})

test('keys that may be deleted come from the settings of the last update, and from the environment', () => {
  const settings = unwrapProperties({ server, allow_delete: '["roads"]' })
  const { allowDelete } = readConfig(settings, { LANDFORM_ALLOW_DELETE: 'trees, plans,' })
  expect([...allowDelete]).toEqual(['roads', 'trees', 'plans'])
})
