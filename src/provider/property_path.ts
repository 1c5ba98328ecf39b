import { isObject } from '../core/is_object.ts'
import { type Pointer, splitPointer } from '../core/pointer.ts'

/** Formats a pointer as a property path: `feature_layer.fields[0].keyname`, `resmeta["map.scale"]`. */
export function formatPropertyPath(pointer: Pointer): string {
  return splitPointer(pointer).reduce(appendToken, '')
}

function appendToken(path: string, token: string): string {
  if (/^\d+$/.test(token)) return `${path}[${token}]`
  if (!/^[A-Za-z_][\w-]*$/.test(token)) return `${path}[${JSON.stringify(token)}]`
  return path === '' ? token : `${path}.${token}`
}

/**
 * Formats the pointer of an edit, which names the items of lists by their key, as a property path. The path ends at the
 * list if the values do not have the item.
 */
export function pathOfEdit(pointer: Pointer, values: unknown): string {
  let at = values
  let path = ''
  for (const token of splitPointer(pointer)) {
    if (Array.isArray(at)) {
      const index = at.findIndex((item) => isObject(item) && Object.values(item).includes(token))
      if (index < 0) return path
      path = `${path}[${index}]`
      at = at[index]
    } else {
      path = appendToken(path, token)
      at = isObject(at) ? at[token] : undefined
    }
  }
  return path
}

/** Tells whether a property path is one of the ignored paths or below one; `*` stands for any property or item. */
export function isIgnored(path: string, ignored: readonly string[]): boolean {
  const parts = splitPath(path)
  return ignored.some((one) => {
    const pattern = splitPath(one)
    return pattern.length <= parts.length && pattern.every((part, at) => part === '*' || part === parts[at])
  })
}

function splitPath(path: string): string[] {
  const tokens = path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+|\*)\]|([^.[\]]+)/g)
  return [...tokens].map(([, quoted, index, name]) => quoted ?? index ?? name ?? '')
}
