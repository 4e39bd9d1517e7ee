package ledger

import (
	"errors"
	"strings"
	"time"

	"github.com/libra-market/libra/core/market"
)

// model is the ledger said as plainly as possible: maps, lists that are added
// up anew each time, and the calendar of the standard library. It shares no
// code with the ledger but the words.
type model struct {
	free, held    map[market.Account]market.Money
	limit, credit map[market.Account]market.Money
	state         map[market.Account]string // open or closed
	holds         map[int64]*modelHold
	spends        []modelSpend
}

type modelHold struct {
	payer market.Account
	parts map[market.Account]market.Money
}

type modelSpend struct {
	month  string
	payer  market.Account
	to     market.Account
	amount market.Money
}

func newModel() *model {
	m := &model{
		free: map[market.Account]market.Money{}, held: map[market.Account]market.Money{},
		limit: map[market.Account]market.Money{}, credit: map[market.Account]market.Money{},
		state: map[market.Account]string{}, holds: map[int64]*modelHold{},
	}
	m.make(Mint)
	m.make(Owner)
	return m
}

func (m *model) make(path market.Account) {
	m.free[path], m.held[path], m.limit[path], m.credit[path], m.state[path] = 0, 0, NoLimit, 0, "open"
}

func modelMonth(at int64) string { return time.UnixMicro(at).UTC().Format("2006-01") }

// upwards is the account and all above it.
func upwards(path market.Account) (chain []market.Account) {
	parts := strings.Split(string(path), "/")
	for n := len(parts); n > 0; n-- {
		chain = append(chain, market.Account(strings.Join(parts[:n], "/")))
	}
	return chain
}

func below(path, root market.Account) bool {
	return path == root || strings.HasPrefix(string(path), string(root)+"/")
}

// used is what the account and all below it hold, and spent in the month.
func (m *model) used(at int64, path market.Account) (sum market.Money) {
	sum = m.reserved(path)
	for _, s := range m.spends {
		if s.month == modelMonth(at) && below(s.payer, path) && !below(s.to, path) {
			sum += s.amount
		}
	}
	return sum
}

func (m *model) reserved(path market.Account) (sum market.Money) {
	for _, h := range m.holds {
		if below(h.payer, path) {
			for _, part := range h.parts {
				sum += part
			}
		}
	}
	return sum
}

// usable says why not, if the account cannot be used.
func (m *model) usable(path market.Account) error {
	switch m.state[path] {
	case "open":
		return nil
	case "closed":
		return ErrClosed
	}
	return ErrUnknown
}

func (m *model) open(path market.Account) error {
	if m.state[path] == "open" {
		return ErrExists
	}
	for _, up := range upwards(path)[1:] {
		if m.state[up] == "closed" {
			return ErrClosed
		}
	}
	for _, up := range upwards(path) {
		if m.state[up] == "" {
			m.make(up)
		}
	}
	m.state[path] = "open"
	return nil
}

func (m *model) close(path market.Account) error {
	if err := m.usable(path); err != nil {
		return err
	}
	for other, state := range m.state {
		if other != path && below(other, path) && state == "open" {
			return ErrInUse
		}
	}
	for _, h := range m.holds {
		if h.payer == path {
			return ErrInUse
		}
	}
	if m.free[path] != 0 || m.held[path] != 0 {
		return ErrInUse
	}
	m.state[path] = "closed"
	return nil
}

func (m *model) setLimit(path market.Account, limit market.Money) error {
	if err := m.usable(path); err != nil {
		return err
	}
	m.limit[path] = limit
	return nil
}

func (m *model) setCredit(path market.Account, credit market.Money) error {
	if err := m.usable(path); err != nil {
		return err
	}
	if m.free[path]+credit < 0 {
		return ErrInUse
	}
	m.credit[path] = credit
	return nil
}

func (m *model) move(from, to market.Account, amount market.Money) error {
	if amount == 0 {
		return market.ErrAmount
	}
	if err := errors.Join(m.usable(from), m.usable(to)); err != nil {
		return err
	}
	m.free[from] -= amount
	m.free[to] += amount
	return nil
}

// income makes the account that it comes from, the first time.
func (m *model) income(to market.Account, amount market.Money) error {
	if m.state[Allowances] == "" && amount > 0 && m.usable(to) == nil {
		m.make(Allowances)
	}
	if err := m.usable(to); amount > 0 && err != nil {
		return err
	}
	return m.move(Allowances, to, amount)
}

func (m *model) transfer(at int64, from, to market.Account, amount market.Money) error {
	switch {
	case amount == 0:
		return market.ErrAmount
	case from == to:
		return ErrForm
	}
	for _, up := range upwards(from) {
		if m.usable(from) == nil && !below(to, up) && m.limit[up] != NoLimit && m.used(at, up)+amount > m.limit[up] {
			return ErrLimit
		}
	}
	if m.usable(from) == nil && m.free[from] < amount {
		return ErrShort
	}
	if err := m.move(from, to, amount); err != nil {
		return err
	}
	m.spends = append(m.spends, modelSpend{modelMonth(at), from, to, amount})
	return nil
}

// refund gives back what is then not spent.
func (m *model) refund(at int64, to market.Account, amount market.Money) error {
	if err := m.move(Owner, to, amount); err != nil {
		return err
	}
	m.spends = append(m.spends, modelSpend{modelMonth(at), to, Owner, -amount})
	return nil
}

func (m *model) hold(at, job int64, payer market.Account, amount market.Money) error {
	if err := m.usable(payer); err != nil {
		return err
	}
	if m.holds[job] != nil {
		return ErrHeld
	}
	return m.setAside(at, job, &modelHold{payer, map[market.Account]market.Money{}}, amount)
}

func (m *model) raise(at, job int64, amount market.Money) error {
	if m.holds[job] == nil {
		return ErrNoHold
	}
	if amount == 0 {
		return market.ErrAmount
	}
	return m.setAside(at, job, m.holds[job], amount)
}

// setAside moves one micro-unit after the other.
func (m *model) setAside(at, job int64, h *modelHold, amount market.Money) error {
	var money market.Money
	for _, up := range upwards(h.payer) {
		if amount > 0 && m.limit[up] != NoLimit && m.used(at, up)+amount > m.limit[up] {
			return ErrLimit
		}
		money += max(0, m.free[up]) + m.credit[up] + min(0, m.free[up])
	}
	if money < amount {
		return ErrShort
	}
	for ; amount > 0; amount-- {
		from := m.giver(h.payer)
		m.free[from]--
		m.held[from]++
		h.parts[from]++
	}
	m.holds[job] = h
	return nil
}

func (m *model) giver(payer market.Account) market.Account {
	for _, up := range upwards(payer) {
		if m.free[up] > 0 {
			return up
		}
	}
	for _, up := range upwards(payer) {
		if m.free[up]+m.credit[up] > 0 {
			return up
		}
	}
	panic("nobody has anything")
}

func (m *model) capture(at, job int64, charge market.Money) error {
	h := m.holds[job]
	if h == nil {
		return ErrNoHold
	}
	var held market.Money
	for _, part := range h.parts {
		held += part
	}
	if charge > held {
		return ErrBeyondHold
	}
	m.spends = append(m.spends, modelSpend{modelMonth(at), h.payer, Owner, charge})
	for _, up := range upwards(h.payer) {
		for ; h.parts[up] > 0; h.parts[up]-- {
			m.held[up]--
			if charge > 0 {
				charge--
				m.free[Owner]++
			} else {
				m.free[up]++
			}
		}
	}
	delete(m.holds, job)
	return nil
}
