import { perspective } from '../perspective.js';
import { linkTo, route } from '../routes.js';
import { writePerspective } from '../sections/views/perspective-route.js';
import { Button, LinkButton } from '../ui/button.js';
import { Notice } from '../ui/feedback.js';
import { Name } from '../ui/text.js';

/** Shows the caller that the page impersonates, if one was chosen in Views. */
export function CallerBar() {
  const { caller, hidesScopes, toolsets, tools, excludeTools, readOnly } = perspective.value;
  const onlyInViews = [hidesScopes, toolsets, tools, excludeTools, readOnly].some(
    (part) => part !== undefined,
  );
  if (route.value.section === 'views' || (caller === undefined && !onlyInViews)) return null;
  const { clientId = 'page', scopes } = caller ?? {};
  return (
    <Notice kind="info" class="banner">
      <div class="row">
        <span class="grow">
          The page calls as <Name value={clientId} /> with{' '}
          {scopes === undefined ? (
            'all scopes'
          ) : scopes.length === 0 ? (
            'no scopes'
          ) : (
            <Name value={scopes.join(', ').slice(0, 200)} />
          )}
          .
          {onlyInViews &&
            ' The toolsets, tools and the rule for missing scopes that you chose in Views do not apply to calls.'}
        </span>
        <LinkButton isSmall href={linkTo('views', writePerspective(perspective.value))}>
          Change
        </LinkButton>
        <Button isSmall onClick={() => (perspective.value = {})}>
          Reset
        </Button>
      </div>
    </Notice>
  );
}
