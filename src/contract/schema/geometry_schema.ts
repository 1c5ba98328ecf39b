import { oneOf } from '../descriptor.ts'
import { datatypes, geometryTypes } from '../geometry.ts'

/** Schema of a geometry type. */
export const GeometryTypeSchema = oneOf(geometryTypes, {
  description: 'Geometry type of the layer.',
})

/** Schema of a datatype. */
export const DatatypeSchema = oneOf(datatypes, { description: 'Datatype of the values.' })
