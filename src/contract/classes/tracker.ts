import { type ClassDescriptor, nullable, oneOf } from '../descriptor.ts'
import { Type } from '../schema/type.ts'

/** Class tracker. */
export const tracker = {
  label: 'Tracker',
  meaning: 'A device that reports its position.',
  scopes: ['resource', 'data', 'metadata'],
  parents: ['trackers_group'],
  interfaces: [],
  order: 100,
  table: {},
  members: {
    tracker: Type.Object({
      unique_id: Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'Identifier of the device, unique among trackers.',
      }),
      description: Type.Optional(nullable(Type.String(), { default: null, description: 'Description.' })),
      device_type: oneOf(['svc_mobile'], { description: 'Kind of device.', 'x-class-name': true }),
      consumption_lpkm: Type.Optional(
        nullable(Type.Number({ minimum: 0 }), {
          default: null,
          description: 'Fuel consumption in litres per 100 km.',
        }),
      ),
      is_registered: Type.Optional(nullable(Type.String(), { default: null, description: 'Accepted.' })),
    }),
  },
} as const satisfies ClassDescriptor
