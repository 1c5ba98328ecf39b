import { createHash } from 'node:crypto'
import type { IconImage } from '../../store/catalog/catalog_icon.ts'

/** Icon of geoservices that have none: a globe with meridians and parallels, 100 by 100 pixels. */
const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100" viewBox="0 0 100 100">
<rect width="100" height="100" rx="18" fill="#2f6f8f"/>
<g fill="none" stroke="#fff" stroke-width="5">
<circle cx="50" cy="50" r="32"/>
<ellipse cx="50" cy="50" rx="14" ry="32"/>
<path d="M18 50h64M23.5 32h53M23.5 68h53"/>
</g>
</svg>`

const image = Buffer.from(drawing)

/** Icon of geoservices that have none. */
export const defaultIcon: IconImage = {
  image,
  digest: createHash('sha256').update(image).digest('hex'),
}
