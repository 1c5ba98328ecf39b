import { nullable } from '../descriptor.ts'
import { Type } from '../schema/type.ts'

/** Settings of a style whose tiles are not kept. */
export const tileCacheDefaults = { enabled: false, image_compose: false, max_z: null, ttl: null } as const

/** Member `tile_cache` of styles. */
export const TileCacheMember = Type.Object({
  enabled: Type.Optional(
    Type.Boolean({
      default: tileCacheDefaults.enabled,
      description:
        'Whether the server keeps drawn tiles on disk. They are drawn again when the style or the data changes.',
    }),
  ),
  image_compose: Type.Optional(
    Type.Boolean({
      default: tileCacheDefaults.image_compose,
      description:
        'Whether images with the scale of a zoom level, and as many pixels as at most 100 tiles, are composed of kept tiles. They are moved to whole pixels of the tiles, by at most half a pixel.',
    }),
  ),
  max_z: Type.Optional(
    nullable(Type.Integer({ minimum: 0, maximum: 24 }), {
      default: tileCacheDefaults.max_z,
      description: 'Highest zoom level of kept tiles; null for all.',
    }),
  ),
  ttl: Type.Optional(
    nullable(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }), {
      default: tileCacheDefaults.ttl,
      description: 'Seconds after which tiles are drawn again at the latest; null for no limit.',
    }),
  ),
  flush: Type.Optional(
    Type.Boolean({
      writeOnly: true,
      'x-wire': true,
      description: 'Whether all tiles of the style are drawn again.',
    }),
  ),
})
