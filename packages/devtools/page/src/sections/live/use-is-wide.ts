import { useEffect, useState } from 'preact/hooks';

const query = '(min-width: 70rem)';

/** Returns whether the window has room for details beside a list. */
export function useIsWide(): boolean {
  const [isWide, setWide] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const listen = () => setWide(media.matches);
    media.addEventListener('change', listen);
    return () => media.removeEventListener('change', listen);
  }, []);
  return isWide;
}
