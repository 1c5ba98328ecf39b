/** Points of one place: a feature, or several that are not told apart. */
export interface GroupPoint {
  /** In pixels. */
  readonly x: number
  readonly y: number
  /** Number of features. */
  readonly count: number
}

/** Points that are close together. */
export interface PointGroup<P extends GroupPoint> {
  /** Mean of the points, in pixels. */
  readonly x: number
  readonly y: number
  /** Number of features. */
  readonly size: number
  /** In their order. */
  readonly points: readonly P[]
}

/** A group while points are added. */
interface OpenGroup<P> {
  x: number
  y: number
  size: number
  /** Position of the first point. */
  readonly first: readonly [x: number, y: number]
  readonly points: P[]
}

/**
 * Groups points as QGIS does: one after the other, each joins the group whose middle is nearest among those whose first
 * point lies within a distance, horizontally and vertically, or else begins a group.
 *
 * @param check called for each point; throws to stop the work
 */
export function groupPoints<P extends GroupPoint>(
  points: readonly P[],
  distance: number,
  check: () => void = () => undefined,
): PointGroup<P>[] {
  const groups: OpenGroup<P>[] = []
  const cells = new Map<string, OpenGroup<P>[]>()
  const side = Math.max(distance, 1)
  for (const point of points) {
    check()
    const { x, y, count } = point
    const [column, row] = [Math.floor(x / side), Math.floor(y / side)]
    const known = nearestGroup(groupsAround(cells, column, row), point, distance)
    if (known !== undefined) {
      known.x = (known.x * known.size + x * count) / (known.size + count)
      known.y = (known.y * known.size + y * count) / (known.size + count)
      known.size += count
      known.points.push(point)
      continue
    }
    const group: OpenGroup<P> = { x, y, size: count, first: [x, y], points: [point] }
    groups.push(group)
    const key = `${column} ${row}`
    cells.set(key, [...(cells.get(key) ?? []), group])
  }
  return groups
}

function groupsAround<P>(
  cells: ReadonlyMap<string, OpenGroup<P>[]>,
  column: number,
  row: number,
): OpenGroup<P>[] {
  return [-1, 0, 1].flatMap((dx) => [-1, 0, 1].flatMap((dy) => cells.get(`${column + dx} ${row + dy}`) ?? []))
}

function nearestGroup<P>(
  groups: readonly OpenGroup<P>[],
  { x, y }: GroupPoint,
  distance: number,
): OpenGroup<P> | undefined {
  let [nearest, least]: [OpenGroup<P> | undefined, number] = [undefined, Number.POSITIVE_INFINITY]
  for (const group of groups) {
    const isNear = Math.abs(group.first[0] - x) <= distance && Math.abs(group.first[1] - y) <= distance
    const away = (group.x - x) ** 2 + (group.y - y) ** 2
    if (isNear && away < least) [nearest, least] = [group, away]
  }
  return nearest
}
