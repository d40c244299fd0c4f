export { createHash, createHmac, timingSafeEqual } from 'node:crypto';
