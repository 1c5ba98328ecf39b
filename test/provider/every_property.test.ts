import { expect, test } from 'vitest'
import { clsNames } from '../../src/contract/registry.ts'
import { findAtPointer, joinPointer, type Pointer } from '../../src/core/pointer.ts'
import {
  signatureKey,
  signatures,
  unknownValue,
  unwrapProperties,
  type Values,
  wrapSecrets,
} from '../../src/provider/property_values.ts'
import { LandformProvider } from '../../src/provider/provider.ts'
import { inputSchemas } from '../../src/provider/provider_schema.ts'
import { redactSecrets } from '../../src/provider/resource_secrets.ts'
import { tokenOf } from '../../src/provider/resource_type.ts'

interface PropertySchema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, PropertySchema>>
}

const text = 'hunter2hunter2'

const places = clsNames.flatMap((cls) =>
  Object.entries(inputSchemas(cls) as Readonly<Record<string, PropertySchema>>)
    .flatMap(([name, schema]) => listPlaces(schema, joinPointer('', name)))
    .map((pointer) => ({ cls, pointer })),
)

/** Lists the pointers of a property and of those in it. */
function listPlaces({ properties = {} }: PropertySchema, at: Pointer): Pointer[] {
  return [at, ...Object.entries(properties).flatMap(([name, one]) => listPlaces(one, joinPointer(at, name)))]
}

/** Makes properties with a value at a place. */
function placed([first = '', ...rest]: readonly string[], value: unknown): Values {
  return { [first]: rest.length === 0 ? value : placed(rest, value) }
}

const split = (pointer: Pointer) => pointer.slice(1).split('/')
const newProvider = () => new LandformProvider({ version: '1.0.0', env: {}, folder: '/nowhere' })

test('there are many places', () => {
  expect(places.length).toBeGreaterThan(200)
})

test('an unknown value stays unknown in every property of every class, and differs from a missing one', async () => {
  for (const { cls, pointer } of places) {
    const urn = `urn:pulumi:dev::city::${tokenOf(cls)}::one`
    const news = unwrapProperties(placed(split(pointer), unknownValue))
    const { values, faults } = await newProvider().check(urn, { news })
    const path = split(pointer).join('.')
    expect([path, faults.filter(({ property }) => property.startsWith(path))]).toEqual([path, []])
    expect([path, findAtPointer(values, pointer)]).toEqual([path, unknownValue])
    const olds = unwrapProperties({ key: 'one', display_name: 'one' })
    const sides = { olds, news: unwrapProperties(values), ignored: [] }
    const changed = newProvider()
      .diff(urn, sides)
      .map((change) => change.path)
    expect([path, changed.some((one) => path.startsWith(one) || one.startsWith(path))]).toEqual([path, true])
  }
})

test('a secret in every property of every class is kept secret, or refused without being repeated', async () => {
  let kept = 0
  for (const { cls, pointer } of places) {
    const urn = `urn:pulumi:dev::city::${tokenOf(cls)}::one`
    const secret = { [signatureKey]: signatures.secret, value: text }
    const news = unwrapProperties(placed(split(pointer), secret))
    const { values, secrets, faults, warnings } = await newProvider().check(urn, { news })
    const hide = redactSecrets(news)
    const told = [...faults, ...warnings].map(({ property, reason }) => hide(`${property}: ${reason}`))
    expect([pointer, told.filter((one) => one.includes('hunter2'))]).toEqual([pointer, []])
    if (faults.some(({ reason }) => reason.startsWith('is a secret'))) continue
    kept += 1
    const wire = JSON.stringify(wrapSecrets(values, secrets), (_, part: unknown) =>
      (part as Values | null)?.[signatureKey] === signatures.secret ? 'secret' : part,
    )
    expect([pointer, wire.includes('hunter2')]).toEqual([pointer, false])
  }
  expect(kept).toBeGreaterThan(100)
})
