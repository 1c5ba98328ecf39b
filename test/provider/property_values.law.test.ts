import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  readProperties,
  signatureKey,
  signatures,
  unknownValue,
  unwrapProperties,
  wrapSecrets,
  writeProperties,
} from '../../src/provider/property_values.ts'

const values = fc.dictionary(
  fc.stringMatching(/^[a-z~/]{1,4}$/),
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>,
)

test('values keep their content and their secrets on the wire', () => {
  fc.assert(
    fc.property(values, (plain) => {
      // Numbers on the wire have no negative zero.
      const sent = JSON.parse(JSON.stringify(plain)) as typeof plain
      const secrets = Object.keys(sent).map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
      const read = readProperties(writeProperties(sent, secrets))
      expect(read).toEqual({ values: sent, secrets: expect.any(Array), unknowns: [] })
      expect([...read.secrets].sort()).toEqual(secrets.sort())
    }),
    { seed: 17, numRuns: process.env.LANDFORM_SOAK ? 5000 : 100 },
  )
})

test('outputs are unwrapped, with what is unknown and secret in them', () => {
  const output = { [signatureKey]: signatures.output, secret: true, dependencies: ['urn'] }
  const known = { ...output, value: { part: unknownValue } }
  expect(unwrapProperties({ list: [output, known] })).toEqual({
    values: { list: [unknownValue, { part: unknownValue }] },
    secrets: ['/list/0', '/list/1'],
    unknowns: ['/list/0', '/list/1/part'],
  })
})

test('assets are sent as they are', () => {
  const asset = { [signatureKey]: signatures.asset, path: 'roads.geojson', hash: 'a' }
  expect(wrapSecrets(unwrapProperties({ asset }).values, [])).toEqual({ asset })
})
