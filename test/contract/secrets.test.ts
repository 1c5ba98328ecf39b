import { expect, it, test } from 'vitest'
import { listVariables } from '../../scripts/docs/environment.ts'
import { routeNames, routeOf } from '../../src/contract/routes.ts'
import { isCredentialOutside, isSecretName, secretNames, secretPattern } from '../../src/contract/secrets.ts'

test('the secrets of the contract are those of connections, users, logins and tokens', () => {
  expect([...secretNames()].sort()).toEqual(['old_password', 'password', 'token'])
  expect(isSecretName('password')).toBe(true)
  expect(isSecretName('display_name')).toBe(false)
})

it('keeps credentials of the program out of fields that are shown', () => {
  const kept = listVariables().filter((name) => isCredentialOutside(name, 'display_name'))
  expect(kept.sort()).toEqual(
    listVariables()
      .filter((name) => /(PASSWORD|TOKEN|SECRET_KEY|DATABASE)$/.test(name))
      .sort(),
  )
  expect(isCredentialOutside('LANDFORM_PASSWORD', 'password')).toBe(false)
})

it('marks every string that a request sends as a password', () => {
  const unmarked = routeNames.flatMap((name) =>
    [...fieldsIn(routeOf(name).body)].flatMap(([field, schema]) =>
      /password|secret/.test(field) && !('x-secret' in schema) ? [`${name} ${field}`] : [],
    ),
  )
  expect(unmarked).toEqual([])
})

test('the pattern matches names that contain a secret name, and headers', () => {
  const pattern = secretPattern(['adminKey'])
  for (const name of ['password', 'newPassword', 'Authorization', 'set-cookie', 'access_token', 'adminKey'])
    expect(name).toMatch(pattern)
  for (const name of ['path', 'keyname', 'status']) expect(name).not.toMatch(pattern)
})

function* fieldsIn(schema: unknown): Generator<[string, object]> {
  if (typeof schema !== 'object' || schema === null) return
  const { properties } = schema as { properties?: Record<string, object> }
  yield* Object.entries(properties ?? {})
  for (const child of Object.values(schema)) yield* fieldsIn(child)
}
