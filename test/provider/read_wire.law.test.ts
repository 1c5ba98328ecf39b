import pb from '@pulumi/pulumi/proto/provider_pb.js'
import fc from 'fast-check'
import struct from 'google-protobuf/google/protobuf/struct_pb.js'
import { expect, test } from 'vitest'
import { unwrapProperties } from '../../src/provider/property_values.ts'
import { decodeStruct, encodeAnswer, ReadCall } from '../../src/provider/read_wire.ts'
import type { Wire } from '../support/pulumi_engine.ts'

const soak = process.env.LANDFORM_SOAK !== undefined
const runs = { seed: 29, numRuns: soak ? 100_000 : 300 }

const values = fc
  .dictionary(fc.string(), fc.jsonValue({ maxDepth: 3, noUnicodeString: false }), { noNullPrototype: true })
  .map((one) => JSON.stringify(one))
  // The generated code takes this key for the prototype of its objects.
  .filter((text) => !text.includes('"__proto__"'))
  // -0 and 0 are one number in the generated code.
  .map((text) => JSON.parse(text) as Wire)

test('decodes properties as the generated code does', () => {
  fc.assert(
    fc.property(values, (given) => {
      const wire = struct.Struct.fromJavaScript(given)
      const decoded = decodeStruct(wire.serializeBinary())
      expect(decoded).toEqual(given)
      expect(JSON.stringify(decoded)).toBe(JSON.stringify(wire.toJavaScript()))
    }),
    runs,
  )
})

test('reads requests, and answers that nothing has changed, as the generated code does', () => {
  fc.assert(
    fc.property(values, values, fc.string(), (inputs, own, id) => {
      const request = new pb.ReadRequest().setId(id).setUrn(`urn:${id}`).setName('ignored')
      request.setInputs(struct.Struct.fromJavaScript(inputs)).setProperties(struct.Struct.fromJavaScript(own))
      const call = new ReadCall(request.serializeBinary())
      expect([call.id, call.urn]).toEqual([id, `urn:${id}`])
      expect(call.readInputs()).toEqual(unwrapProperties(inputs))
      expect(call.readOutputs()).toEqual(unwrapProperties(own))
      const answer = pb.ReadResponse.deserializeBinary(encodeAnswer(call.answerUnchanged(id, own)))
      expect(answer.getId()).toBe(id)
      expect(answer.getInputs()?.toJavaScript()).toEqual(inputs)
      expect(answer.getProperties()?.toJavaScript()).toEqual({ ...inputs, ...own })
    }),
    runs,
  )
})

test('answers that a resource is gone', () => {
  expect(pb.ReadResponse.deserializeBinary(encodeAnswer({})).toObject()).toMatchObject({ id: '' })
})
