package trade

import "errors"

// What can be wrong with a command, beside a [FieldError] and the ledger's
// refusals. A refusal of the market is not an error but an Outcome.
var (
	ErrUnknown     = errors.New("not found")                    // no such job, quote, node, account
	ErrForbidden   = errors.New("not yours")                    // somebody else's
	ErrConflict    = errors.New("not possible as things stand") // already ended, jobs under way, name taken
	ErrKeyReused   = errors.New("this idempotency key was used for another request")
	ErrUnavailable = errors.New("the market is closed for the moment") // the store cannot be written, or the start is under way
)

// Closed is an [ErrUnavailable] with a reason that anybody may know: it names
// neither a machine nor a file.
type Closed struct{ Why string }

// Error is the reason.
func (c *Closed) Error() string { return c.Why }

// Is reports that it is an [ErrUnavailable].
func (c *Closed) Is(target error) bool { return target == ErrUnavailable }
